/** Voices of the model service: not every combination has one. */
export const VOICES = [
  voice('eva', 'es-es', 'F', 'neural'),
  voice('juan', 'es-es', 'M', 'standard'),
  voice('luis', 'es-es', 'M', 'standard'),
  voice('kate', 'en-us', 'F', 'standard'),
]

function voice(voiceId: string, languageId: string, voiceGender: string, voiceEngine: string) {
  return { voiceId, languageId, voiceGender, voiceEngine, modes: ['block', 'streaming'] }
}

/** Responds to a voice request; `bad` lists the statements that it breaks. */
export function voicesAnswer(query: URLSearchParams, bad: (id: string) => boolean): [number, unknown] {
  const gender = query.get('voiceGender')
  const engines = query.getAll('voiceEngine')
  const wanted = bad('4.2-6') ? engines.slice(-1) : engines
  if (bad('2.2-1')) return [200, []]
  if (bad('4.2-1') && query.size === 0) return [200, 'voices']
  if (bad('4.2-3') && query.has('mode') && query.size === 2) return [400, error('bad_parameter', 'no_mode')]
  const found = VOICES.filter(
    each =>
      (!query.has('language') || bad('4.2-2') || each.languageId === query.get('language')) &&
      (gender === null || bad('4.2-4') || each.voiceGender === gender) &&
      (wanted.length === 0 || bad('4.2-5') || wanted.includes(each.voiceEngine)),
  )
  if (bad('2.2-2') && found.length === 0) return [404, error('not_found', 'no_voice')]
  return [200, found]
}

export function error(code: string, specific: string): object {
  return { code, error: specific, description: 'as the model says' }
}
