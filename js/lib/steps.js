// The steps of a call: between them a caller hears of the progress and can abort.
import { expectNotAborted } from "./errors.js";

export class Steps {
  #platform;
  #options;
  #total;
  #done = 0;

  constructor(total, options, platform) {
    this.#total = total;
    this.#options = options;
    this.#platform = platform;
  }

  get signal() {
    return this.#options.signal;
  }

  // Begins a step.
  async begin(stage) {
    const { onProgress, signal } = this.#options;
    // The CPU engine leaves no time for events.
    if (onProgress || signal) await this.#platform.pause();
    expectNotAborted(signal);
    onProgress?.({ stage, done: this.#done++, total: this.#total });
  }
}
