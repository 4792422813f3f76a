/** `npm run bench <name>`: measurements of the whole program, as tables in Markdown. */
import { machine } from './machine.ts'

const BENCHES: Readonly<Record<string, (argv: string[]) => Promise<void>>> = {
  legs: async argv => (await import('./legs.ts')).benchLegs(argv),
  lag: async () => (await import('./lag.ts')).benchLag(),
  echo: async () => (await import('./echo.ts')).benchEcho(),
  interpret: async argv => (await import('./interpret.ts')).benchInterpret(argv),
  models: async argv => (await import('./models.ts')).benchModels(argv),
  talkers: async argv => (await import('./talkers.ts')).benchTalkers(argv),
}

const [name = '', ...argv] = process.argv.slice(2).filter(word => word !== '--part')
const bench = BENCHES[name]
if (bench) {
  const { cpu, cores, node, load } = machine()
  console.log(`${cpu}, ${cores} cores, Node ${node}, load ${load}\n`)
  try {
    await bench(argv)
    process.exit()
  } catch (error) {
    if (!(error instanceof RangeError || error instanceof TypeError)) throw error
    console.error(error.message)
    process.exitCode = 2
  }
} else {
  console.error(`npm run bench <name> -- [options], with a name of ${Object.keys(BENCHES).join(', ')}`)
  process.exitCode = 2
}
