import { declareSystem } from "../kernel/system/system.ts";
import { accountSettings } from "./config.ts";

export const account = declareSystem({
  name: "account",
  settings: accountSettings,
  database: true,
  serves: ["people", "operators"],
  api: { create: async (...given) => (await import("./api_role.ts")).accountApi(...given) },
});
