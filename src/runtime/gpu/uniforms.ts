/**
 * These are uniform buffers for the parameters of passes: pages that are filled while commands are recorded,
 * written to the GPU just before the submit, and used again for the next one. The queue orders those writes
 * after the submits before, so one set of pages serves any number of submits in flight.
 */
import { assert } from "../../core/errors.ts";

const pageBytes = 16_384;

export class Uniforms {
  readonly #device: GPUDevice;
  readonly #alignment: number;
  readonly #pages: { readonly buffer: GPUBuffer; readonly words: Uint32Array<ArrayBuffer> }[] = [];
  #page = 0;
  #used = 0;

  constructor(device: GPUDevice) {
    this.#device = device;
    this.#alignment = device.limits.minUniformBufferOffsetAlignment;
  }

  /** Returns the place where those words will be once `commit` was called. */
  place(words: readonly number[]): GPUBufferBinding {
    const size = Math.ceil(words.length / 4) * 16;
    assert(size <= pageBytes, `${words.length} uniforms do not fit ${pageBytes} bytes`);
    if (this.#used + size > pageBytes) {
      this.#page++;
      this.#used = 0;
    }
    const page = (this.#pages[this.#page] ??= this.#create());
    const offset = this.#used;
    page.words.set(words, offset / 4);
    this.#used = Math.ceil((offset + size) / this.#alignment) * this.#alignment;
    return { buffer: page.buffer, offset, size };
  }

  /**
   * Writes the words that were placed since the last commit; call it right before the submit that uses them.
   */
  commit(): void {
    this.#pages.slice(0, this.#page + 1).forEach(({ buffer, words }, at) => {
      const bytes = at === this.#page ? Math.min(this.#used, pageBytes) : pageBytes;
      this.#device.queue.writeBuffer(buffer, 0, words, 0, bytes / 4);
    });
    this.#page = 0;
    this.#used = 0;
  }

  dispose(): void {
    for (const { buffer } of this.#pages) buffer.destroy();
  }

  #create(): { buffer: GPUBuffer; words: Uint32Array<ArrayBuffer> } {
    const usage = GPUBufferUsage.UNIFORM | GPUBufferUsage.COPY_DST;
    const buffer = this.#device.createBuffer({ label: "uniforms", size: pageBytes, usage });
    return { buffer, words: new Uint32Array(pageBytes / 4) };
  }
}
