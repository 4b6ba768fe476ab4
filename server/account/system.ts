import { declareSystem } from "../kernel/system/system.ts";
import { accountApi } from "./api_role.ts";
import { accountSettings } from "./config.ts";

export const account = declareSystem({
  name: "account",
  settings: accountSettings,
  database: true,
  serves: ["people", "operators"],
  api: { create: accountApi },
});
