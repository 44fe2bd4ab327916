// This snippet gives the number of this workgroup in a grid that was folded to fit the limit per dimension
// (pass.ts). Numbers past the last useful workgroup occur: the caller returns early on them.
// Globals: none.

fn linearGroup(group: vec3u, groups: vec3u) -> u32 {
  return group.x + groups.x * (group.y + groups.y * group.z);
}
