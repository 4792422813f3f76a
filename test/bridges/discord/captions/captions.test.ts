import { describe, expect, it } from 'vitest'
import { FakeClock } from '../../../../simulator/fakes/fake-clock.ts'
import { Captions } from '../../../../src/bridges/discord/captions/captions.ts'
import type { CaptionStyle } from '../../../../src/bridges/discord/contract.ts'
import type { Caption } from '../../../../src/core/model/caption.ts'
import { Observer } from '../../../../src/core/model/events.ts'
import { FakeChat, settled } from '../../../support/discord/fake-chat.ts'

function started(style: CaptionStyle = 'plain') {
  const clock = new FakeClock(1_000)
  const chat = new FakeChat(clock)
  const observer = new Observer()
  const echoes: string[] = []
  const captions = new Captions({
    observer,
    room: 'r',
    chat,
    style,
    clock,
    onEcho: (speaker, name) => echoes.push(`${speaker} ${name}`),
  })
  captions.start()
  const run = async (ms: number) => {
    await settled()
    for (let t = 0; t < ms; t += 100) {
      clock.advance(100)
      await settled()
    }
  }
  const told = (more: Partial<Caption>) =>
    observer.emit('caption', {
      room: 'r',
      speaker: 'ana',
      name: 'Ana',
      utterance: 'ana.1.1',
      from: 'es-es',
      to: 'en-us',
      final: true,
      ...more,
    })
  return { clock, chat, observer, captions, echoes, run, told }
}

const MORNING = { text: 'buenos días a todos', translation: 'good morning to everyone' }

describe('captions of a room', () => {
  it('show the speech of their room only', async () => {
    const { chat, run, told } = started()
    told(MORNING)
    told({ ...MORNING, room: 'other', utterance: 'x' })
    await run(1_000)
    expect(chat.texts).toEqual(['**Ana:** buenos días a todos\n`en` good morning to everyone'])
  })

  it('lose their ellipsis when no more results arrive', async () => {
    const { chat, run, told } = started()
    told({ final: false, text: 'buenos' })
    await run(2_000)
    expect(chat.texts).toEqual(['**Ana:** buenos …'])
    await run(8_000)
    expect(chat.texts).toEqual(['**Ana:** buenos'])
  })

  it('are not written while they are off', async () => {
    const { chat, run, told, captions } = started('off')
    told(MORNING)
    await run(1_000)
    expect(chat.texts).toEqual([])
    captions.style = 'plain'
    told({ ...MORNING, utterance: 'ana.1.2' })
    await run(1_000)
    expect(chat.texts.length).toBe(1)
  })

  it('end immediately for a participant who opts out', async () => {
    const { chat, run, told, captions } = started()
    told({ final: false, text: 'buenos' })
    await run(100)
    captions.silence('ana')
    told(MORNING)
    told({ ...MORNING, utterance: 'ana.1.2' })
    await run(12_000)
    expect(chat.texts).toEqual([])
  })

  it('accept a late translation after the timeout', async () => {
    const { chat, run, told } = started()
    told({ final: false, text: 'buenos días' })
    await run(10_000)
    expect(chat.texts).toEqual(['**Ana:** buenos días'])
    told(MORNING)
    await run(2_000)
    expect(chat.texts).toEqual(['**Ana:** buenos días a todos\n`en` good morning to everyone'])
    told({ ...MORNING, translation: 'another' })
    await run(2_000)
    expect(chat.texts).toHaveLength(1)
    expect(chat.texts[0]).not.toContain('another')
  })

  it('are completed by the repeated results of a session that was interrupted', async () => {
    const { chat, run, told } = started()
    told({ final: false, text: 'buenos días a' })
    await run(20_000)
    told({ ...MORNING, utterance: 'ana.1.2' })
    await run(2_000)
    expect(chat.texts).toEqual(['**Ana:** buenos días a todos\n`en` good morning to everyone'])
  })

  it('leave out an echo of the channel’s own voice, and remove its first words', async () => {
    const { chat, run, told, echoes, captions, observer } = started()
    told(MORNING)
    await run(2_000)
    const echo = { speaker: 'ben', name: 'B*n', utterance: 'ben.1.1', from: 'en-gb', to: 'es-es' }
    told({ ...echo, final: false, text: 'good' })
    await run(2_000)
    expect(chat.texts.at(-1)).toBe('**B\\*n:** good …')
    observer.emit('echo', { room: 'r', participant: 'ben', name: 'B*n', utterance: 'ben.1.1', to: 'es-es' })
    observer.emit('echo', {
      room: 'other',
      participant: 'ben',
      name: 'B*n',
      utterance: 'ben.1.1',
      to: 'es-es',
    })
    await run(3_000)
    expect(chat.texts).toEqual(['**Ana:** buenos días a todos\n`en` good morning to everyone'])
    expect(echoes).toEqual(['ben B\\*n'])
    expect(captions.echoes).toBe(1)
  })

  it('include everything said before the end', async () => {
    const { chat, run, told, captions, clock } = started()
    told({ final: false, text: 'buenos días' })
    const closed = captions.close(2_000)
    await run(500)
    await closed
    expect(chat.texts).toEqual(['**Ana:** buenos días'])
    told(MORNING)
    await run(1_000)
    expect(chat.texts).toEqual(['**Ana:** buenos días'])
    expect(clock.pending).toBe(0)
  })
})
