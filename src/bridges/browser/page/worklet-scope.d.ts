/** What an audio worklet finds in its global scope ("Web Audio API", §1.32) and the compiler's library does not describe. */
declare const sampleRate: number

declare abstract class AudioWorkletProcessor {
  readonly port: MessagePort
  /** 128 samples of every channel of every input and output; false: there is nothing left to do. */
  abstract process(inputs: Float32Array[][], outputs: Float32Array[][]): boolean
}

declare function registerProcessor(name: string, processor: new () => AudioWorkletProcessor): void
