/** This module has the form in which a reader says something of a file besides its cells. */

/**
 * A guess is about a file: something that was not declared but found out, or noticed and left alone.
 * @example
 * const { guesses } = await openTable(textSource("x;y\n1;2\n", "leaves.csv"));
 * const guess: Guess = guesses[1];
 * guess.value; // => '";", found in the first lines'
 * guess.remedy; // => "delimiter"
 */
export interface Guess {
  /** It is about this column, where it is about one. */
  readonly column?: string;
  readonly what: string;
  readonly value: string;
  /** This option of the command line says otherwise. */
  readonly option: string;
  /** This says otherwise in the library, mostly an option of the reader. */
  readonly remedy: string;
}
