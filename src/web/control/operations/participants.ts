import { z } from 'zod'
import { ControlError } from '../errors.ts'
import { operation } from '../operation.ts'
import { changeNotice, tell } from '../room-ending.ts'
import { refusedLanguages } from '../room-plans.ts'
import { displayName, id, language, original, participantSchema, roomParams } from '../schemas.ts'
import { assertRoom, participantOf, participantView } from '../views.ts'

const params = z.strictObject({ participant: id.describe('The ID of the participant.') })

export const listParticipants = operation({
  id: 'listParticipants',
  method: 'GET',
  path: '/rooms/{room}/participants',
  group: 'Participants',
  summary: 'Lists the participants of a room',
  about: 'In the order in which they joined.',
  params: roomParams,
  status: 200,
  answer: z.strictObject({ participants: z.array(participantSchema) }),
  errors: ['room_unknown'],
  run(context, { params: { room } }) {
    assertRoom(context, room)
    const there = context.relay.rooms.get(room)?.participants.values() ?? []
    return { participants: Array.from(there, each => participantView(context, each)) }
  },
})

export const getParticipant = operation({
  id: 'getParticipant',
  method: 'GET',
  path: '/participants/{participant}',
  group: 'Participants',
  summary: 'Gets a participant',
  about: '',
  params,
  status: 200,
  answer: participantSchema,
  errors: ['participant_unknown'],
  run: (context, { params: { participant } }) =>
    participantView(context, participantOf(context, participant)),
})

const change = z
  .strictObject({
    speaks: language.nullable().optional().describe('null: they only listen.'),
    hears: language.nullable().optional().describe('null: only original voices.'),
    original: original.optional(),
    name: displayName.nullable().optional(),
    muted: z
      .boolean()
      .optional()
      .describe('Their voice is sent to no one, including the service and recordings.'),
    interpreting: z
      .boolean()
      .optional()
      .describe('false: they hear originals, and everyone hears their original voice.'),
    announce: z
      .boolean()
      .default(true)
      .describe('Notify them in their language of changes that they cannot notice themselves.'),
  })
  .refine(({ announce: _, ...fields }) => Object.keys(fields).length > 0, 'at least one field to change')

export const changeParticipant = operation({
  id: 'changeParticipant',
  method: 'PATCH',
  path: '/participants/{participant}',
  group: 'Participants',
  summary: 'Changes a participant',
  about:
    'Applies from their next word; original voices continue without a gap. Omitted fields stay unchanged.',
  params,
  body: change,
  status: 200,
  answer: participantSchema,
  errors: ['participant_unknown', 'language_not_allowed'],
  run(context, { params: { participant: which }, body }) {
    const participant = participantOf(context, which)
    const plan = context.plans.find(participant.invitation.room)
    const refused = refusedLanguages(plan, [body.speaks, body.hears])
    if (refused.length > 0)
      throw new ControlError('language_not_allowed', `the room does not allow ${refused.join(', ')}`)
    const { announce, ...wanted } = body
    const before = participant.state
    participant.change(wanted)
    const notice = announce ? changeNotice(before, participant.state) : undefined
    // Not awaited: the notice is played when the service has synthesized it.
    if (notice) void tell(context, participant, notice)
    return participantView(context, participant)
  },
})

export const hangUpParticipant = operation({
  id: 'hangUpParticipant',
  method: 'DELETE',
  path: '/participants/{participant}',
  group: 'Participants',
  summary: 'Hangs up on a participant',
  about: 'Their last words are still translated for the others. Succeeds also if they left recently.',
  params,
  status: 200,
  answer: z.strictObject({ id: z.string(), ended: z.literal(true) }),
  errors: ['participant_unknown'],
  run(context, { params: { participant } }) {
    const found = context.relay.find(participant)
    if (!found && !context.departed.has('participant', participant))
      throw new ControlError('participant_unknown')
    // Not awaited: the peer can take time to hang up.
    void found?.hangUp()
    return { id: participant, ended: true }
  },
})
