/** A role that operators can pause. It is plain data: the console imports it too, so this file and the declarations import nothing at run time. */
export interface Pausable {
  /** `<system>:<worker>` */
  readonly role: `${string}:${string}`;
  /** What pausing it means for users, in full sentences. The console shows it before and during a pause. */
  readonly means: string;
}
