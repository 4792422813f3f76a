import { EngineError } from '../../engine.ts'
import type { ThreadUse } from '../../thread-budget.ts'

/** Address of a decoder in the library; 0 or null for none. */
export type SphinxPointer = unknown

type Callback<T> = (error: unknown, value: T) => void

/** The functions of libpocketsphinx that are used here. */
export type SphinxLibrary = ReturnType<typeof bind>

interface Native {
  (...args: unknown[]): unknown
  async(...args: unknown[]): void
}

/** The recognizer, and the library that it depends on. */
const LIBRARY = 'libpocketsphinx.so.3'
const BASE_LIBRARY = 'libsphinxbase.so.3'

/** Loads libpocketsphinx; `use` tracks work on threads. Rejects with an `EngineError` if it is not installed. */
export async function loadSphinx(use?: ThreadUse): Promise<SphinxLibrary> {
  try {
    const { load, decode } = await import('koffi')
    const library = load(LIBRARY)
    const base = load(BASE_LIBRARY)
    // The log is per process, not per decoder: with `-logfn`, each new decoder closes the file that others write to.
    base.func('void err_set_logfp(void *stream)')(null)
    return bind(
      signature => library.func(signature) as Native,
      signature => base.func(signature) as Native,
      features => meanIn(features, decode as Peek),
      use,
    )
  } catch (cause) {
    throw new EngineError('transcription', 'pocketsphinx', `cannot load ${LIBRARY}`, { cause })
  }
}

/** Numbers per spectrum. */
const CEPSTRA = 13

type Peek = (pointer: SphinxPointer, offset: number, type: string) => unknown

/**
 * Finds the `cmn_t` of a `feat_t`, as laid out by libsphinxbase.so.3 on 64 bit: `cepsize` at 16, `n_stream` at 20,
 * `cmn` at 68, the pointer at 88; in `cmn_t`, `veclen` at 28. Undefined if any of them has an unexpected value.
 */
function meanIn(features: SphinxPointer, peek: Peek): SphinxPointer | undefined {
  const number = (pointer: SphinxPointer, offset: number) => Number(peek(pointer, offset, 'int32_t'))
  const kind = number(features, 68)
  if (number(features, 16) !== CEPSTRA || number(features, 20) !== 1 || kind < 0 || kind > 2) return undefined
  const mean = peek(features, 88, 'void *')
  return mean && number(mean, 28) === CEPSTRA ? mean : undefined
}

function bind(
  sphinx: (signature: string) => Native,
  base: (signature: string) => Native,
  meanOf: (features: SphinxPointer) => SphinxPointer | undefined,
  use: ThreadUse | undefined,
) {
  const pooled = <T>(native: Native, ...args: unknown[]) => onThread<T>(use, native, args)
  const parseArgs = base(
    'void *cmd_ln_parse_r(void *inout, void *defn, int argc, const char **argv, int strict)',
  )
  const defaultArgs = sphinx('void *ps_args()')
  const init = sphinx('void *ps_init(void *config)')
  const free = sphinx('int ps_free(void *decoder)')
  const startStream = sphinx('int ps_start_stream(void *decoder)')
  const startUtterance = sphinx('int ps_start_utt(void *decoder)')
  const endUtterance = sphinx('int ps_end_utt(void *decoder)')
  const process = sphinx(
    'int ps_process_raw(void *decoder, const void *data, size_t samples, int no_search, int full)',
  )
  const hypothesis = sphinx('const char *ps_get_hyp(void *decoder, _Out_ int *score)')
  const setGrammar = sphinx('int ps_set_jsgf_string(void *decoder, const char *name, const char *jsgf)')
  const setSearch = sphinx('int ps_set_search(void *decoder, const char *name)')
  const features = sphinx('void *ps_get_feat(void *decoder)')
  const setMean = base('void cmn_live_set(void *cmn, const float *mean)')
  const inSpeech = sphinx('uint8_t ps_get_in_speech(void *decoder)')

  // Promises are of calls on the thread pool: one at a time for each decoder.
  return {
    /** Creates a decoder; rejects if the arguments or the model files are invalid. */
    async open(args: Readonly<Record<string, string>>): Promise<SphinxPointer> {
      const argv = ['dragoman', ...Object.entries(args).flat()]
      const config = parseArgs(null, defaultArgs(), argv.length, argv, 1)
      if (!config) throw new EngineError('transcription', 'pocketsphinx', 'refused its arguments')
      const decoder = await pooled<SphinxPointer>(init, config)
      if (!decoder) throw new EngineError('transcription', 'pocketsphinx', 'found no usable model')
      return decoder
    },
    process: (decoder: SphinxPointer, pcm: Int16Array) =>
      pooled<number>(process, decoder, pcm, pcm.length, 0, 0),
    endUtterance: (decoder: SphinxPointer) => pooled<number>(endUtterance, decoder),
    startStream: (decoder: SphinxPointer) => startStream(decoder) as number,
    startUtterance: (decoder: SphinxPointer) => startUtterance(decoder) as number,
    inSpeech: (decoder: SphinxPointer) => inSpeech(decoder) !== 0,
    hypothesis: (decoder: SphinxPointer) => (hypothesis(decoder, [0]) as string | null) ?? '',
    /** Creates a named search from a JSGF grammar; returns a negative value if it or one of its words is invalid. */
    setGrammar: (decoder: SphinxPointer, name: string, jsgf: string) =>
      setGrammar(decoder, name, jsgf) as number,
    /** Selects the search for the next utterances: a grammar, or `_default`. Only between utterances. */
    setSearch: (decoder: SphinxPointer, name: string) => setSearch(decoder, name) as number,
    /**
     * Sets the running mean of the voice's spectrum (13 numbers), which the decoder continues to adapt. Does nothing if
     * the library's memory layout is not as expected; the model's own mean then stays.
     */
    setMean(decoder: SphinxPointer, values: Float32Array): void {
      const mean = meanOf(features(decoder))
      if (mean !== undefined) setMean(mean, values)
    },
    free: (decoder: SphinxPointer) => void free(decoder),
  }
}

/** Runs `native` on the thread pool. The arguments stay referenced until it is done. */
function onThread<T>(use: ThreadUse | undefined, native: Native, args: unknown[]): Promise<T> {
  use?.began()
  return new Promise((resolve, reject) => {
    const done: Callback<T> = (error, value) => {
      use?.ended()
      if (error) reject(error as Error)
      else resolve(value)
    }
    native.async(...args, done)
  })
}
