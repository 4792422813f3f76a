import { randomUUID } from 'node:crypto'
import { z } from 'zod'
import { setTimer } from '../../../common/clock.ts'
import { BridgeError } from '../../../common/errors.ts'
import { type LanguageId, sameLanguage } from '../../../common/language.ts'
import type { Sound } from '../../../core/model/announcer.ts'
import type { Participant } from '../../../core/room/participant.ts'
import { durationMs } from '../../../transcode/pcm.ts'
import type { ControlContext } from '../control-context.ts'
import { ControlError, toControlError } from '../errors.ts'
import { operation } from '../operation.ts'
import { id, language, listeners, playedSchema, roomParams, spokenText } from '../schemas.ts'
import { assertRoom, listenersOf } from '../views.ts'

/** Maximum time for the service to speak a text (ms). */
const SPEECH_MS = 20_000

/** Returns the announcer. Throws `sounds_off`. */
function announcerOf({ announcer }: ControlContext) {
  if (!announcer) throw new ControlError('sounds_off')
  return announcer
}

export const say = operation({
  id: 'say',
  method: 'POST',
  path: '/rooms/{room}/say',
  group: 'Sounds',
  summary: 'Speaks a text to a room',
  about:
    'Each listener hears the text in their language, translated if necessary; listeners without a language hear it as written. Responds when the audio is on its way. If a language is currently unavailable, its listeners have an `error`; if no listener can hear the text, that error is returned. Text for the whole room also appears in its captions and transcript, with the speaker `system`.',
  params: roomParams,
  body: z.strictObject({
    text: spokenText.meta({
      description: 'Up to 1,000 characters.',
      examples: ['This call ends in five minutes.'],
    }),
    language: language.describe('The language of the text.'),
    to: listeners,
    captions: z
      .boolean()
      .optional()
      .describe(
        'Include the text in captions and the transcript. Default: true, unless `to` selects listeners.',
      ),
  }),
  status: 202,
  answer: playedSchema,
  errors: ['room_unknown', 'participant_unknown', 'nobody_there', 'sounds_off', 'speech_unavailable'],
  async run(context, { params: { room }, body: { text, language: from, to, captions = to === undefined } }) {
    assertRoom(context, room)
    const announcer = announcerOf(context)
    const parties = listenersOf(context, room, to)
    const spoken = new Map<LanguageId, Promise<Sound | ControlError>>()
    const inLanguage = (wanted: LanguageId) => {
      const known = spoken.get(wanted)
      if (known) return known
      const making = inTime(context, announcer.say(text, from, wanted)).catch(toControlError)
      spoken.set(wanted, making)
      return making
    }
    const announcements = await Promise.all(
      parties.map(async party => {
        const wanted = party.state.hears ?? from
        const sound = await inLanguage(wanted)
        return { ...played(context, party, sound), language: wanted }
      }),
    )
    if (announcements.every(({ error }) => error !== undefined)) {
      const faults = (await Promise.all(spoken.values())).filter(sound => sound instanceof ControlError)
      if (faults[0]) throw faults[0]
    }
    if (captions)
      for (const [language, made] of spoken) {
        const sound = await made
        const heard = announcements.some(each => each.error === undefined && each.language === language)
        if (heard && !(sound instanceof ControlError))
          caption(context, room, { text, from, to: language, sound })
      }
    return { announcements }
  },
})

export const play = operation({
  id: 'play',
  method: 'POST',
  path: '/rooms/{room}/play',
  group: 'Sounds',
  summary: 'Plays a sound to a room',
  about: 'One of the files in the settings (`sounds.files`), by name.',
  params: roomParams,
  body: z.strictObject({
    file: z
      .string()
      .regex(/^[\w-]{1,64}$/, 'letters, digits, _ and -')
      .meta({ description: 'Its name in the settings.', examples: ['jingle'] }),
    to: listeners,
  }),
  status: 202,
  answer: playedSchema,
  errors: [
    'room_unknown',
    'participant_unknown',
    'nobody_there',
    'sounds_off',
    'file_unknown',
    'sound_unavailable',
  ],
  async run(context, { params: { room }, body: { file, to } }) {
    assertRoom(context, room)
    const announcer = announcerOf(context)
    const parties = listenersOf(context, room, to)
    const sound = await announcer.file(file).catch((error: unknown) => {
      const unknown = error instanceof BridgeError && error.code === 'CONFIG'
      throw new ControlError(unknown ? 'file_unknown' : 'sound_unavailable')
    })
    return { announcements: parties.map(party => played(context, party, sound)) }
  },
})

export const stopAnnouncement = operation({
  id: 'stopAnnouncement',
  method: 'DELETE',
  path: '/announcements/{announcement}',
  group: 'Sounds',
  summary: 'Stops an announcement',
  about: 'Stops it at once, for its one participant. Succeeds also if it ended recently.',
  params: z.strictObject({ announcement: id.describe('The ID of the announcement.') }),
  status: 200,
  answer: z.strictObject({ id: z.string(), ended: z.literal(true) }),
  errors: ['announcement_unknown'],
  run(context, { params: { announcement } }) {
    if (!context.announcements.stop(announcement)) throw new ControlError('announcement_unknown')
    return { id: announcement, ended: true }
  },
})

/** Announcements are captioned too: one caption for each language in which they are played. */
function caption(
  { relay, clock }: ControlContext,
  room: string,
  { text, from, to, sound }: { text: string; from: LanguageId; to: LanguageId; sound: Sound },
): void {
  const now = clock.now()
  relay.observer.emit('caption', {
    room,
    speaker: 'system',
    system: true,
    utterance: `system.${randomUUID()}`,
    from,
    to,
    final: true,
    text,
    ...(sameLanguage(from, to) || sound.text === undefined ? {} : { translation: sound.text }),
    spoken: { fromMs: now, toMs: now + durationMs(sound.pcm.length) },
  })
}

/** Plays `sound` to `party`, who have possibly left while it was synthesized. */
function played(context: ControlContext, party: Participant, sound: Sound | ControlError) {
  const participant = party.id
  if (sound instanceof ControlError) return { participant, error: sound.specific }
  if (context.relay.find(participant) !== party) return { participant, error: 'participant_unknown' }
  return { id: context.announcements.add(party.announce(sound)), participant }
}

async function inTime(context: ControlContext, sound: Promise<Sound>): Promise<Sound> {
  const late = Promise.withResolvers<never>()
  using _ = setTimer(context.clock, SPEECH_MS, () => late.reject(new ControlError('speech_unavailable')))
  return await Promise.race([sound, late.promise])
}
