import tailwindcss from "@tailwindcss/vite";
import react from "@vitejs/plugin-react";
import { defineConfig } from "vite";

/** The gateway serves the console at /admin/. Its content security policy allows own files only, nothing inline. */
export default defineConfig({
  base: "/admin/",
  plugins: [react(), tailwindcss()],
  build: {
    target: "es2023",
    cssTarget: ["chrome123", "firefox121", "safari17.5"], // browsers with light-dark()
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
  },
});
