// For sum, min and max reduce keeps one value of elements, and in a lane four of them side by side.
// Globals: Value, combine, combine4, identity (combine_*), valuesOf, elementsOf (value_*).

alias Total = Value;
alias Running = vec4<Value>;

fn start() -> Running {
  return Running(identity());
}

// Joins the elements at 4 * at, 4 * at + 1, ... of the input; only those of the mask count.
fn add(running: Running, bits: vec4u, at: u32) -> Running {
  return combine4(running, valuesOf(bits));
}

fn addSome(running: Running, bits: vec4u, at: u32, mask: vec4<bool>) -> Running {
  return combine4(running, select(Running(identity()), valuesOf(bits), mask));
}

fn join(a: Total, b: Total) -> Total {
  return combine(a, b);
}

fn fold(running: Running, rowBegin: u32) -> Total {
  return combine(combine(running.x, running.y), combine(running.z, running.w));
}

fn nothing() -> Total {
  return identity();
}

fn resultOf(total: Total) -> u32 {
  return elementsOf(vec4<Value>(total)).x;
}
