# Completion of partita in bash: it asks partita itself what there is.
_partita() {
  local current="${COMP_WORDS[COMP_CWORD]}" previous="${COMP_WORDS[COMP_CWORD - 1]}" verb=()
  local word
  for word in "${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    [[ "$word" == -* ]] && break
    verb+=("$word")
  done
  COMPREPLY=()
  local flags
  flags="$(partita help "${verb[@]}" 2>/dev/null | sed -n 's/^  \(--[a-z0-9-]*\)\( [A-Z:=]*\)\?  .*/\1\2/p')"
  if [[ "$previous" == --* ]]; then
    case "$(sed -n "s/^$previous //p" <<<"$flags")" in
      FILE) mapfile -t COMPREPLY < <(compgen -f -- "$current") ;;
      *DIR) mapfile -t COMPREPLY < <(compgen -d -- "$current") ;;
      "") previous="" ;; # it takes nothing
    esac
    compopt -o filenames 2>/dev/null
    [[ -z "$previous" ]] || return 0
  fi
  if ((${#verb[@]} > 0)) && [[ -n "$flags" ]]; then
    mapfile -t COMPREPLY < <(compgen -W "$(sed 's/ .*//' <<<"$flags")" -- "$current")
    return
  fi
  # The verbs that begin with the words so far, of which some have two.
  local so_far="${verb[*]}"
  mapfile -t COMPREPLY < <(compgen -W "$(partita help 2>/dev/null | sed -n 's/^  \([a-z][a-z ]*[a-z]\)  .*/\1/p' |
    sed -n "s/^${so_far:+$so_far }\([a-z]*\).*/\1/p" | sort -u)" -- "$current")
}
complete -F _partita partita
