export interface HelpOptions {
  /** Which arguments there are beside --help; a command that takes none refuses every one. */
  readonly takes?: (argument: string) => boolean;
  readonly args?: readonly string[];
}

/** What a command answers before it does anything: help with exit code 0, or an argument that it does not know with exit code 2. */
export function answerHelp(text: string, { takes = () => false, args = process.argv.slice(2) }: HelpOptions = {}): void {
  if (args.some(argument => argument === "--help" || argument === "-h")) {
    console.log(text);
    process.exit(0);
  }
  const unknown = args.find(argument => !takes(argument));
  if (unknown === undefined) return;
  console.error(`unknown argument: ${unknown}\n\n${text}`);
  process.exit(2);
}
