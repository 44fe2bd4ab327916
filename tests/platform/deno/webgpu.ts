/**
 * What the test files import as "webgpu" when Deno runs them: Deno's own WebGPU, which is wgpu, in place of
 * Dawn.
 */
export const globals = {};

export const create = (): GPU => navigator.gpu;
