/** Where a row is. */
export interface RowPlace {
  readonly input: string;
  /** Its number in that input, from 0, with the header. */
  readonly row: number;
}
