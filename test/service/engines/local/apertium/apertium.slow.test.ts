import { execFileSync } from 'node:child_process'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { FakeClock } from '../../../../../simulator/fakes/fake-clock.ts'
import { systemClock } from '../../../../../src/common/clock.ts'
import {
  Apertium,
  ApertiumRoutes,
  flushing,
} from '../../../../../src/service/engines/local/apertium/apertium.ts'
import { ApertiumPipeline } from '../../../../../src/service/engines/local/apertium/pipeline.ts'
import { GlossaryTranslator } from '../../../../../src/service/engines/vocabulary/glossary-translator.ts'
import { Vocabulary, vocabularySchema } from '../../../../../src/service/engines/vocabulary/vocabulary.ts'
import { conforms } from '../../../../support/conformance/suite.ts'
import { textTranslatorChecks } from '../../../../support/conformance/text-translator.ts'
import { ENGINES } from '../../../../support/engines/engine-settings.ts'

/** The processes of a pipeline. */
function members(group: number): { pid: number; command: string }[] {
  const list = execFileSync('ps', ['-A', '-o', 'pid=,pgid=,stat=,comm='], { encoding: 'utf8' })
  return list
    .trim()
    .split('\n')
    .map(line => line.trim().split(/\s+/))
    .filter(([, pgid, stat]) => Number(pgid) === group && !stat?.startsWith('Z'))
    .map(([pid, , , command = '']) => ({ pid: Number(pid), command }))
}

const make = () => Apertium.create(ENGINES.apertium, systemClock)

conforms(
  'Apertium translates',
  textTranslatorChecks,
  async () => ({
    engine: await make(),
    from: 'en-us',
    to: 'es-es',
    sentences: [
      ['good morning i would like to book a room', 'gustaría'],
      ['the house is very small', 'casa'],
      ['my brother has a dog', 'hermano'],
    ] as const,
  }),
  ({ engine }) => engine.close(),
)

conforms(
  'Apertium with a glossary translates',
  textTranslatorChecks,
  async () => ({
    engine: new GlossaryTranslator(
      await make(),
      new Vocabulary(
        vocabularySchema.parse({
          glossary: [
            { 'en-us': 'invoice', 'es-es': 'factura' },
            { 'en-us': 'front desk', 'es-es': 'recepción' },
          ],
        }),
      ),
    ),
    from: 'en-us',
    to: 'es-es',
    sentences: [
      ['please send the invoice tomorrow', 'factura'],
      ['the front desk is closed', 'recepción'],
      ['the house is very small', 'casa'],
    ] as const,
  }),
  ({ engine }) => engine.close(),
)

describe('a persistent pipeline', () => {
  let engine: Apertium
  beforeAll(async () => {
    engine = await make()
  })
  afterAll(() => engine.close())

  const house = () => engine.translate('the house is small', 'en-us', 'es-es')

  test('continues when a member is killed, also during work', async () => {
    expect(await house()).toContain('casa')
    for (const name of ['lt-proc', 'apertium-tagger', 'apertium-trans']) {
      const [group] = await engine.pids()
      const member = members(group!).find(({ command }) => command.startsWith(name))
      process.kill(member!.pid, 'SIGKILL')
      const answers = await Promise.all([house(), house(), house()])
      for (const answer of answers) expect(answer, name).toContain('casa')
    }
  })

  test('leaves no process behind when it is closed', async () => {
    const own = await make()
    await own.translate('the house', 'en-us', 'es-es')
    const [group] = await own.pids()
    expect(members(group!).length).toBeGreaterThan(5)
    await own.close()
    await expect.poll(() => members(group!)).toEqual([])
  })

  test('only a request that hangs fails', async () => {
    const clock = new FakeClock()
    // Answers each line, but sleeps on "hang".
    const script = `while IFS= read -r -d '' line; do case "$line" in *hang*) sleep 60;; esac; printf '%s\\0' "$line"; done`
    const pipeline = new ApertiumPipeline(`exec bash -c '${script.replaceAll("'", `'"'"'`)}'`, {
      clock,
      timeoutMs: 300,
      maxWaiting: 10,
    })
    const asked = ['one', 'hang', 'two', 'three'].map(text => pipeline.translate(text))
    await asked[0]
    clock.advance(301)
    const [one, hang, two, three] = await Promise.allSettled(asked)
    pipeline.close()
    expect(hang).toMatchObject({ status: 'rejected', reason: { kind: 'translation' } })
    expect([one, two, three].map(each => each?.status)).toEqual(['fulfilled', 'fulfilled', 'fulfilled'])
    expect(await asked[0]).toBe('one')
  })

  test('reports missing programs and a full queue', async () => {
    const options = { clock: systemClock, timeoutMs: 2_000, maxWaiting: 2 }
    const missing = new ApertiumPipeline('no-such-program -z', options)
    await expect(missing.translate('x')).rejects.toMatchObject({ name: 'EngineError' })
    missing.close()
    const full = new ApertiumPipeline('sleep 60', options)
    const waiting = [full.translate('a'), full.translate('b')].map(each => each.catch(() => 'closed'))
    await expect(full.translate('c')).rejects.toThrow('2 translations are waiting')
    full.close()
    expect(await Promise.all(waiting)).toEqual(['closed', 'closed'])
  })
})

test('sets every program of a mode to flush', () => {
  expect(flushing(`lt-proc 'a b.bin' | apertium-tagger -g $2 'c.prob' |lt-proc $1 'd'`)).toBe(
    `lt-proc -z 'a b.bin' | apertium-tagger -z -g 'c.prob' | lt-proc -z -n 'd'`,
  )
})

describe('routes', () => {
  const all = new ApertiumRoutes([
    'eng-spa',
    'spa-eng',
    'spa-eng_US',
    'es-pt',
    'es-pt_BR',
    'es-gl',
    'eng-cat',
    'cat-ita',
  ])

  test('go directly or through one language, and end in the requested region', () => {
    expect(all.route('en-us', 'es-mx')).toEqual(['eng-spa'])
    expect(all.route('es-es', 'en-us')).toEqual(['spa-eng_US'])
    expect(all.route('es-es', 'en-gb')).toEqual(['spa-eng'])
    expect(all.route('en-gb', 'pt-br')).toEqual(['eng-spa', 'es-pt_BR'])
    expect(all.route('en-us', 'it-it')).toEqual(['eng-cat', 'cat-ita'])
  })

  test('do not exist within a language, to an unknown one, or in more than two steps', () => {
    expect(all.route('en-us', 'en-gb')).toBeUndefined()
    expect(all.route('en-us', 'de-de')).toBeUndefined()
    expect(new ApertiumRoutes(['gl-en', 'eng-cat', 'cat-ita']).route('gl-es', 'it-it')).toBeUndefined()
  })
})

test('reports that no pair is installed', async () => {
  await expect(
    Apertium.create({ ...ENGINES.apertium, modes: '/nowhere' }, systemClock),
  ).rejects.toMatchObject({
    name: 'EngineError',
    kind: 'translation',
  })
})
