// This snippet moves nothing, since keys of a merge carry nothing.
// Globals: none.

fn moveLeft(source: u32, place: u32) {}

fn moveRight(source: u32, place: u32) {}
