// Holds the floors of ARCHITECTURE.md: fails on an import that a package does not declare, that reaches into
// another package by a relative path, or that goes up or sideways.
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { isBuiltin } from 'node:module'
import { dirname, join, relative, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('..', import.meta.url))

/** What each part of ours may import of ours. */
const FLOORS = {
  'packages/contract': [],
  'packages/decoders': ['contract'],
  'packages/bus': ['contract'],
  'packages/accounts': ['contract'],
  'packages/client': ['contract'],
  'apps/ingest': ['contract', 'decoders', 'bus'],
  'apps/gateway': ['contract', 'bus', 'accounts'],
  'apps/api': ['contract', 'accounts', 'bus'],
  'apps/web': ['contract', 'client'],
  'apps/standalone': ['contract', 'decoders', 'bus', 'accounts', 'ingest', 'gateway', 'api'],
}

/** Files of tests: they may use development dependencies and steer themselves by the environment. */
const IS_TEST = /\.(test|suite)\.tsx?$|\/testing\//

const faults = []
const parts = ['packages', 'apps'].flatMap((floor) =>
  readdirSync(join(root, floor)).map((name) => `${floor}/${name}`),
)

for (const part of parts) {
  const allowed = FLOORS[part]
  if (!allowed) {
    faults.push(`${part}: not on any floor; add it to scripts/check-floors.mjs and ARCHITECTURE.md.`)
    continue
  }
  const manifest = JSON.parse(readFileSync(join(root, part, 'package.json'), 'utf8'))
  const declared = new Set(Object.keys({ ...manifest.dependencies, ...manifest.optionalDependencies }))
  const development = Object.keys(
    JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')).devDependencies,
  )

  for (const file of sourceFiles(join(root, part, 'src'))) {
    const name = relative(root, file)
    const text = withoutComments(readFileSync(file, 'utf8'))
    const isTest = IS_TEST.test(file)
    // Handing the environment to config.ts whole is not reading it.
    const code = withoutTexts(text).replaceAll('readConfig(process.env)', '')
    const readsEnvironment = /process\.env\b/.test(code)
    if (readsEnvironment && !file.endsWith('/config.ts') && !isTest && part !== 'apps/web') {
      faults.push(`${name}: only config.ts reads the environment.`)
    }
    for (const specifier of imports(text)) {
      if (specifier.startsWith('.')) {
        const target = resolve(dirname(file), specifier.replace(/\?.*$/, ''))
        const inside =
          target.startsWith(join(root, part)) ||
          (part === 'apps/web' && target.startsWith(join(root, 'design')))
        if (!inside) faults.push(`${name}: reaches out of its package to ${specifier}.`)
        continue
      }
      if (isBuiltin(specifier)) continue
      const dependency = specifier
        .split('/')
        .slice(0, specifier.startsWith('@') ? 2 : 1)
        .join('/')
      const ours = /^@pairwire\/(.+)$/.exec(dependency)?.[1]
      if (ours && !allowed.includes(ours) && dependency !== manifest.name)
        faults.push(`${name}: may not import ${dependency}.`)
      if (
        !declared.has(dependency) &&
        !(isTest && development.includes(dependency)) &&
        dependency !== manifest.name
      ) {
        faults.push(`${name}: imports ${dependency}, which ${part}/package.json does not declare.`)
      }
    }
  }
}

for (const fault of faults) console.error(fault)
if (faults.length > 0) process.exit(1)

function sourceFiles(folder) {
  if (!existsSync(folder)) return []
  return readdirSync(folder, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile() && /\.(ts|tsx|mjs)$/.test(entry.name))
    .map((entry) => join(entry.parentPath ?? entry.path, entry.name))
}

/** The code without its comments, whose examples may show anything. */
function withoutComments(text) {
  return text.replace(/\/\*[\s\S]*?\*\//g, '').replace(/(^|\s)\/\/.*$/gm, '$1')
}

/** The code without its strings, which may hold samples of code. */
function withoutTexts(text) {
  return text.replace(/`(?:\\.|[^`\\])*`|'(?:\\.|[^'\\\n])*'|"(?:\\.|[^"\\\n])*"/g, "''")
}

/** Specifiers of static imports, re-exports and `import()` calls. */
function imports(text) {
  const pattern =
    /(?:^|\n)\s*(?:import|export)\b[^'"`;]*?from\s*['"]([^'"]+)['"]|(?:^|\n)\s*import\s*['"]([^'"]+)['"]|\bimport\(\s*['"]([^'"]+)['"]/g
  return [...text.matchAll(pattern)].map((match) => match[1] ?? match[2] ?? match[3])
}
