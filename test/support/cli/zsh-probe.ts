/**
 * zsh completes only at its prompt: this starts one in a separate terminal, presses Tab after the line, and prints the
 * completions, one per line. Arguments: the completion script, the line.
 */
export const ZSH_PROBE = `
zmodload zsh/zpty
zpty shell zsh -f -i
heard() { local chunk all=''; while zpty -r shell chunk; do all+=$chunk; [[ $all == *$1* ]] && break; done; REPLY=$all }
zpty -w shell 'PROMPT=; RPROMPT=; unsetopt zle_bracketed_paste 2>/dev/null; autoload -Uz compinit; compinit -u -D'
zpty -w shell "source \${(q)1}"
zpty -w shell 'zstyle ":completion:*" list-grouped false; zstyle ":completion:*" insert-tab false; zstyle ":completion:*" format ""'
# Prints the completions instead of inserting them.
zpty -w shell 'compadd() {
  local -a taken
  if (( \${@[(I)-[OAD]*]} )); then builtin compadd "$@"; return; fi
  builtin compadd -A taken "$@"
  (( $#taken )) && print -l -- "OFFER:"\${^taken}
  builtin compadd "$@"
}'
zpty -w shell 'finish() { print -- OVER; exit }'
zpty -w shell 'tell() { print; zle complete-word; print -- OVER; zle send-break }; zle -N tell; zle -C complete-word complete-word _main_complete; bindkey "^I" tell; print READ""Y'
heard READY
zpty -w -n shell "$2"$'\\t'
heard OVER
print -r -- "$REPLY" | tr -d '\\r' | sed -n 's/^OFFER://p' | sort -u
zpty -d shell
`
