/** The parts that are used here; the package has no types. */
declare module 'webvtt-parser' {
  interface WebVTTNode {
    readonly type: string
    readonly name?: string
    readonly value?: string
    readonly children?: readonly WebVTTNode[]
  }
  interface WebVTTCue {
    readonly startTime: number
    readonly endTime: number
    readonly tree: { readonly children: readonly WebVTTNode[] }
  }
  class WebVTTParser {
    /** Characters by their names: `&lt;` → `<`. */
    constructor(entities?: Readonly<Record<string, string>>)
    parse(
      text: string,
      mode: 'metadata' | 'chapters' | 'subtitles/captions/descriptions',
    ): { readonly cues: readonly WebVTTCue[]; readonly errors: readonly { message: string }[] }
  }
  const parsers: { readonly WebVTTParser: typeof WebVTTParser }
  // biome-ignore lint/style/noDefaultExport: the package has one, as seen by Node
  export default parsers
}
