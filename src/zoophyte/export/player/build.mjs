// Bundles the player into two files, player.js and player.css, in the folder given.
import { build } from "esbuild";
import { readFileSync } from "node:fs";
import { join } from "node:path";

const target = process.argv[2] ?? "dist";
const licence = readFileSync("node_modules/three/LICENSE", "utf8").replaceAll("*/", "* /").trim();

await build({
  entryPoints: [{ in: "src/main.ts", out: "player" }],
  outdir: target,
  bundle: true,
  minify: true,
  format: "iife",
  target: ["es2022"],
  legalComments: "none",
  banner: { js: `/*! Holds three.js.\n${licence}\n*/` },
  charset: "utf8",
  logLevel: "warning",
});

// The page puts the script between tags of its own: it must not be able to close them.
const script = readFileSync(join(target, "player.js"), "utf8");
if (/<\/script|<!--/i.test(script)) {
  throw new Error("the bundle holds '</script' or '<!--'; it would end inside the page");
}
