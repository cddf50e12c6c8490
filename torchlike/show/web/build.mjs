// Makes page.js and page.css, which torchlike/show/page.py puts into each page.
import { build } from "esbuild";

await build({
  entryPoints: { page: "src/main.tsx" },
  bundle: true,
  minify: true,
  format: "iife",
  target: "es2022",
  jsx: "automatic",
  jsxImportSource: "preact",
  outdir: ".",
  legalComments: "inline",
  charset: "utf8",
});
