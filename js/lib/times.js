// The times of a call's work, for a caller who asks for them.
import { refuse } from "./errors.js";

// In the order in which modules tell them.
const KINDS = ["upload", "device", "waiting", "download", "host"];

export class Times {
  #hear;
  #spent = KINDS.map(() => 0);

  constructor(hear) {
    this.#hear = hear;
  }

  // Those for a caller; none if nobody asks.
  static for({ onTimes }) {
    if (onTimes !== undefined && typeof onTimes !== "function") throw refuse("onTimes: expected a function");
    return onTimes && new Times(onTimes);
  }

  // Adds what one call of the module spent.
  add(spent) {
    spent.forEach((time, i) => (this.#spent[i] += time));
  }

  tell() {
    this.#hear(Object.fromEntries(KINDS.map((kind, i) => [kind, this.#spent[i]])));
  }
}
