import { createHash } from "node:crypto";
import { join } from "node:path";

/** The folder of the project, and the folder of all local data. */
export const checkout = join(import.meta.dir, "..");
export const stackHome = join(checkout, ".stack");
/** Another home is another dev stack; the tests use one. An empty variable counts as unset, so that no data and key are written into the checkout. */
export const devHome = process.env.KENRI_DEV_HOME || stackHome;

export function shortHash(text: string): string {
  return createHash("sha256").update(text).digest("hex").slice(0, 12);
}
