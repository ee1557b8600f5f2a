# Completion of partita in bash: it asks partita itself what there is.
_partita() {
  local current="${COMP_WORDS[COMP_CWORD]}" previous="${COMP_WORDS[COMP_CWORD - 1]}" words=() word line
  for word in "${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    [[ "$word" == -* ]] && break
    words+=("$word")
  done
  COMPREPLY=()
  local verbs
  verbs="$(partita help 2>/dev/null | sed -n 's/^  \([a-z][a-z ]*[a-z]\)  .*/\1/p')"
  local asks=""
  if [[ "${words[0]}" == help ]]; then
    asks=yes
    words=("${words[@]:1}")
  fi
  # The verbs that begin with the words so far, of which some have two.
  local so_far="${words[*]}" offers=()
  while read -r line; do
    [[ -z "$so_far" || "$line" == "$so_far "* ]] || continue
    line="${line#"$so_far"}"
    line="${line# }"
    offers+=("${line%% *}")
  done <<<"$verbs"
  # The longest verb among the words: names and places follow it.
  local count verb="" help="" flags=""
  for ((count = ${#words[@]}; count > 0; --count)); do
    verb="${words[*]:0:count}"
    grep -qxF -- "$verb" <<<"$verbs" && break
    verb=""
  done
  [[ -z "$verb" || -n "$asks" ]] || help="$(partita help ${verb} 2>/dev/null)"
  flags="$(sed -nE 's/^  (--[a-z0-9-]*)( [A-Z:=]*)?(  .*|$)/\1\2/p' <<<"$help")"
  compopt -o filenames 2>/dev/null
  if [[ "$previous" == --* ]]; then
    case "$(sed -n "s/^$previous //p" <<<"$flags")" in
      FILE) mapfile -t COMPREPLY < <(compgen -f -- "$current") ;;
      *DIR) mapfile -t COMPREPLY < <(compgen -d -- "$current") ;;
      "") previous="" ;; # it takes nothing
    esac
    [[ -z "$previous" ]] || return 0
  fi
  mapfile -t COMPREPLY < <(
    compgen -W "${offers[*]} $(sed 's/ .*//' <<<"$flags")" -- "$current" | sort -u
    if [[ "$current" != -* && "${help%%$'\n'*}" =~ (DIR|SOCKET|STORE|BACKUPS|FILE|FROM|TO)($|[^A-Z]) ]]; then
      compgen -f -- "$current"
    fi
  )
}
complete -F _partita partita
