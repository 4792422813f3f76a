/** Globals of an audio worklet ("Web Audio API", §1.32) that the compiler’s library lacks. */
declare const sampleRate: number

declare abstract class AudioWorkletProcessor {
  readonly port: MessagePort
  /** Processes 128 samples per channel of each input and output; returns false when finished. */
  abstract process(inputs: Float32Array[][], outputs: Float32Array[][]): boolean
}

declare function registerProcessor(name: string, processor: new () => AudioWorkletProcessor): void
