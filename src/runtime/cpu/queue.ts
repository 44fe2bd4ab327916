/**
 * This is the queue of tasks that wait for a worker. Offered ones go before the others, in their order, but
 * for a turn that the others get now and then, so that neither kind waits for ever.
 */

/**
 * So many offered tasks in a row go past a waiting one. They take milliseconds, the others a tenth of a
 * second.
 */
const MOST_PAST = 32;

export class TaskQueue<Task extends { readonly isOffer: boolean }> {
  #offers: Task[] = [];
  #others: Task[] = [];
  /** So many offers have gone past the first of the others. */
  #past = 0;

  get length(): number {
    return this.#offers.length + this.#others.length;
  }

  push(task: Task): void {
    (task.isOffer ? this.#offers : this.#others).push(task);
  }

  /** Puts a task back as the first of its kind. */
  putBack(task: Task): void {
    (task.isOffer ? this.#offers : this.#others).unshift(task);
  }

  /** Takes the task whose turn it is. */
  next(): Task | undefined {
    if (this.#others.length === 0) return this.#offers.shift();
    if (this.#offers.length === 0 || this.#past === MOST_PAST) {
      this.#past = 0;
      return this.#others.shift();
    }
    this.#past++;
    return this.#offers.shift();
  }

  /** Takes all tasks for which `which` is true. */
  take(which: (task: Task) => boolean): Task[] {
    const taken = [...this.#offers, ...this.#others].filter(which);
    this.#offers = this.#offers.filter((task) => !which(task));
    this.#others = this.#others.filter((task) => !which(task));
    return taken;
  }
}
