/** This module has the form in which a reader says something of a file besides its cells. */

/**
 * A guess is about a file: something that was not declared but inferred, or noticed and left as it is.
 * @example
 * const { guesses } = await openTable(textSource("x;y\n1;2\n", "leaves.csv"));
 * const guess: Guess = guesses[1];
 * guess.value; // => '";", found in the first lines'
 * guess.remedy; // => "delimiter"
 */
export interface Guess {
  /** It is about this column; undefined if it is about the whole file. */
  readonly column?: string;
  readonly what: string;
  readonly value: string;
  /** This option of the command line overrides it. */
  readonly option: string;
  /** This overrides it in the library; mostly it is an option of the reader. */
  readonly remedy: string;
}
