import { Type } from "@sinclair/typebox";
import type { ModeStore } from "../mode_store.ts";

/** The query parameter `mode`. */
export const modeFilter = (stores: ReadonlyMap<string, ModeStore>) =>
  Type.Optional(
    Type.Union(
      [...stores.keys()].map(name => Type.Literal(name)),
      { description: "only this mode" },
    ),
  );

export const storesFor = (stores: ReadonlyMap<string, ModeStore>, mode: string | undefined): ModeStore[] =>
  [...stores.values()].filter(store => mode === undefined || store.mode.name === mode);
