import { defineConfig } from "vite";

// Two builds: the app that `dxjudge view`, `review` and `rate` serve, and the one script that a
// self-contained report.html holds. File names have no hashes: the built files are committed.
export default defineConfig(({ mode }) => {
  const report = mode === "report";
  return {
    base: "./",
    oxc: { jsx: { runtime: "automatic", importSource: "preact" } },
    build: {
      target: "es2022",
      // Older targets turn light-dark() into a media query, which a choice of colours and print ignore.
      cssTarget: ["chrome123", "firefox120", "safari17.5"],
      outDir: report ? "../../evaluation/report/built" : "../built",
      emptyOutDir: true,
      assetsInlineLimit: 0,
      modulePreload: false,
      cssCodeSplit: false,
      rollupOptions: {
        input: report ? "src/report.tsx" : "src/main.tsx",
        output: {
          format: report ? "iife" : "es",
          entryFileNames: report ? "report.js" : "app.js",
          chunkFileNames: "[name].js",
          assetFileNames: report ? "report[extname]" : "app[extname]",
        },
      },
    },
  };
});
