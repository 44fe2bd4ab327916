// Run by backend.test.ts: uses a GpuBackend and returns from its last line; the process must then end by
// itself.
import { create, globals } from "webgpu";
import { openGpu } from "../../../dist/runtime/gpu/backend.js";

Object.assign(globalThis, globals);
const how = process.argv[2];
const backend = await openGpu({
  gpu: create(process.env.NEARFIELD_DAWN?.split(" ") ?? []),
  allowSoftware: true,
});
const session = await backend.open([{ name: "b", bytes: 64 }]);
await session.run(
  {
    label: "",
    buffers: [],
    steps: [
      { kind: "clear", buffer: "b" },
      { kind: "download", from: "b", bytes: 64 },
    ],
  },
  {},
);
if (how === "dispose") backend.dispose();
console.log("ran");
