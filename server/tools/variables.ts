import { listSettings, variablesOf } from "../kernel/config/config.ts";
import { allSettings } from "../systems.ts";

/** Every environment variable that the server reads. */
export const knownVariables = (): string[] => [...new Set(listSettings(allSettings).flatMap(variablesOf))];
