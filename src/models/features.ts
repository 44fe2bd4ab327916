/**
 * Makes the rows that an estimator is given into the matrix that it works on. A matrix is taken as it is; of
 * a table the feature columns are taken, which are chosen when the estimator is fitted and looked up by name
 * afterwards.
 */
import { InvalidInputError } from "../core/errors.ts";
import type { MatrixLike } from "../core/matrix.ts";
import { runYielding } from "../core/async/yielding.ts";
import { encoding } from "../table/encode.ts";
import type { EncodeOptions } from "../table/encode.ts";
import type { Column } from "../table/column.ts";
import { Table } from "../table/table.ts";
import { chooseFeatures } from "./preparation/roles.ts";
import type { Roles } from "./preparation/roles.ts";

/**
 * Estimators take rows as a matrix, or as a table whose columns are found by name.
 * @example
 * const matrix: Rows = [[0, 9], [5, 4]];
 * const table: Rows = Table.fromColumns({ x: [0, 5], y: [9, 4] });
 * const nn = new NearestNeighbors({ nNeighbors: 1 });
 * (await (await nn.fit(matrix)).kneighbors([[1, 8]])).indices; // => [0]
 * const queries = Table.fromColumns({ y: [1], x: [8] });
 * (await (await nn.fit(table)).kneighbors(queries)).indices; // => [1]
 * nn.dispose();
 */
export type Rows = MatrixLike | Table;

export interface FeatureOptions {
  /**
   * Distances compare these columns of a table, in this order; default all but the label and those with a
   * role.
   */
  readonly features?: readonly string[] | undefined;
  /** These columns of a table are left out, such as `{ id: "sku" }`. */
  readonly roles?: Roles | undefined;
}

/** These options decide how rows are compared. */
type MeasureOptions = Pick<EncodeOptions, "metric" | "missing" | "unseen">;

export class Features {
  /** They name the columns; undefined for matrices, whose columns have no names. */
  readonly names: readonly string[] | undefined;
  readonly #trainedOn: string;
  readonly #measure: EncodeOptions;
  /** The table that was fitted gives nominal values their codes. */
  readonly #table: Table | undefined;

  /**
   * @param wanted feature columns of a table; default all but `label` and those with a role
   * @throws InvalidInputError for columns named with a matrix, and those of chooseFeatures
   */
  constructor(train: Rows, wanted: FeatureOptions & MeasureOptions, label?: string) {
    const { metric, missing, unseen } = wanted;
    this.#measure = { metric, missing, unseen };
    this.#table = train instanceof Table ? train : undefined;
    if (train instanceof Table) {
      this.names = chooseFeatures(train, wanted, label);
    } else if (wanted.features ?? wanted.roles) {
      const given = wanted.features ? "features" : "roles";
      throw new InvalidInputError(
        `${given} name columns of a table, but train is a matrix; leave ${given} out`,
      );
    }
    this.#trainedOn = train instanceof Table ? (train.origin?.file ?? "the training table") : "train";
  }

  /**
   * Returns the matrix to fit; one that was given is returned as it is, and its values are checked where it
   * is used.
   */
  async trainMatrix(train: Rows): Promise<MatrixLike> {
    return train instanceof Table ? runYielding(encoding(train, this.names ?? [], this.#measure)) : train;
  }

  /** It has the columns that were fitted, of a table. */
  get columns(): readonly Column[] | undefined {
    return this.names && this.#table?.select(this.names).columns;
  }

  /** Returns the same features, compared as these columns are and coded by their dictionaries. */
  like(columns: readonly Column[]): Features {
    return new Features(new Table(columns, this.#table?.origin), { ...this.#measure, features: this.names });
  }

  /**
   * @param what the words of errors for the rows, where these are no queries
   * @throws InvalidInputError for a table where train was a matrix, or the other way round
   */
  async queryMatrix(queries: Rows, signal?: AbortSignal, what?: string): Promise<MatrixLike> {
    const isTable = queries instanceof Table;
    if (isTable !== (this.names !== undefined)) {
      throw new InvalidInputError(
        `${what ?? "queries"} are a ${isTable ? "table" : "matrix"}, but the estimator was fitted on a ` +
          `${isTable ? "matrix" : "table"}; pass both in the same form`,
      );
    }
    if (!isTable) return queries;
    const name = queries.origin?.file ?? what;
    const like = { ...this.#measure, name, trainedOn: this.#trainedOn, train: this.#table };
    return runYielding(encoding(queries, this.names ?? [], like), signal);
  }
}
