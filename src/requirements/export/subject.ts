// What an export says of the graph that it writes.

export interface ExportSubject {
  /** Slug of the project. */
  project: string;
  revision: number;
  /** When the revision was made, milliseconds since the epoch. */
  at: number;
}
