import tailwindcss from "@tailwindcss/vite";
import react from "@vitejs/plugin-react";
import { defineConfig } from "vite";

/** Served by the gateway at /admin/, whose policy allows files of our own and nothing inline. */
export default defineConfig({
  base: "/admin/",
  plugins: [react(), tailwindcss()],
  build: {
    target: "es2023",
    cssTarget: ["chrome123", "firefox121", "safari17.5"], // those that know light-dark()
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
  },
});
