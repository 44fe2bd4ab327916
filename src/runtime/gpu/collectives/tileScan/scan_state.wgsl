// This snippet says where the words of a scan's scratch are; see scanScratchBytes in runtime/tileScan.ts.
// Globals: Value.

const TOTAL: u32 = 0u;
const TICKET: u32 = 1u;
const GAVE_UP: u32 = 2u;
const STATES: u32 = 4u;

fn valueOfWord(word: u32) -> Value {
  return bitcast<Value>(word);
}

fn wordOf(value: Value) -> u32 {
  return bitcast<u32>(value);
}
