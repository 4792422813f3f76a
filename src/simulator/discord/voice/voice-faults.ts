/** What goes wrong in one call; everything is off until set. */
export class VoiceFaults {}
