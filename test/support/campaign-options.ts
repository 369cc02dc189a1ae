import { Command, InvalidArgumentError, Option } from 'commander'

/**
 * An option of a campaign: its meaning, and its value where it is not given. A number has to be above zero; `false` is a switch; `undefined` is one
 * of the choices, or all of them.
 */
export interface CampaignOption {
  about: string
  value: number | string | false | undefined
  choices?: readonly string[]
}

type ValueOf<Told> = Told extends { value: infer Value }
  ? Value extends number
    ? number
    : Value extends false
      ? boolean
      : Value | string
  : never

/** The options of a campaign as given on the command line. Ends the process with help, or with one sentence for an option that is wrong. */
export function campaignOptions<const Options extends Readonly<Record<string, CampaignOption>>>(
  about: string,
  options: Options,
): { [Name in keyof Options]: ValueOf<Options[Name]> } {
  const command = new Command(`npm run ${process.env.npm_lifecycle_event ?? 'campaign'} --`).description(about)
  for (const [name, option] of Object.entries(options)) command.addOption(asOption(name, option))
  return command.allowExcessArguments(false).parse().opts()
}

function asOption(name: string, { about, value, choices }: CampaignOption): Option {
  const option = new Option(value === false ? `--${name}` : `--${name} <${kindOf(value)}>`, about)
  if (value !== undefined) option.default(value)
  if (choices) return option.choices(choices)
  return typeof value === 'number' ? option.argParser(aboveZero) : option
}

const kindOf = (value: CampaignOption['value']) => (typeof value === 'number' ? 'number' : 'text')

function aboveZero(text: string): number {
  const number = Number(text)
  if (number > 0) return number
  throw new InvalidArgumentError('It takes a number above zero.')
}
