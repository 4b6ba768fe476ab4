export type System = "entitlement" | "notification";
