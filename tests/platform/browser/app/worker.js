// The library in a worker of the page: its own CPU workers, or the GPU, from in there.
import { kneighbors } from "nearfield";

onmessage = async ({ data: { size, backend } }) => {
  const { rows, cols, queries, k } = size;
  const train = { data: noise(rows * cols), rows, cols };
  const asked = { data: noise(queries * cols), rows: queries, cols };
  const { explanation } = await kneighbors(train, asked, { k, backend, threads: 2 });
  postMessage({ backend: explanation.backend });
};

function noise(length) {
  return Float32Array.from({ length }, () => Math.random());
}
