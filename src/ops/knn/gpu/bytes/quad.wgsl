// This snippet lets lanes that are a quad know each other's numbers.

// Returns the numbers of the four lanes, in their order.
fn ofQuad(own: u32) -> vec4u {
  return vec4u(
    quadBroadcast(own, 0u),
    quadBroadcast(own, 1u),
    quadBroadcast(own, 2u),
    quadBroadcast(own, 3u),
  );
}
