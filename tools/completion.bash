# SPDX-License-Identifier: BSD-3-Clause
# Completion of the tools' words in bash. It is installed once under the name of each tool, by which
# bash-completion finds it. Options and commands are those of the tool's own --help.
_op2_tool() {
  local word=$2 previous=$3 help
  COMPREPLY=()
  case $previous in
    --folder) mapfile -t COMPREPLY < <(compgen -d -- "$word"); return ;;
    --days | --march | --megabytes | --simd) return ;;
  esac
  help=$("$1" --help 2>/dev/null) || return
  case $word in
    -*)
      mapfile -t COMPREPLY < <(compgen -W "--help $(
        grep -o -E -e '(^|[][ (|])--?[a-z][a-z-]*' <<<"$help" | tr -d ' []()|' | sort -u)" -- "$word")
      ;;
    *)
      # Lines of commands begin with two blanks, and two or more are before what the command does.
      mapfile -t COMPREPLY < <(compgen -W "$(
        sed -n -E 's/^  ([a-z]+)( [^ ]+)*  +[a-z].*/\1/p' <<<"$help" | sort -u)" -- "$word")
      if [[ $1 == *op2-precompile ]]; then
        mapfile -t -O ${#COMPREPLY[@]} COMPREPLY < <(compgen -c -- "$word")
      fi
      ;;
  esac
}
complete -o default -F _op2_tool op2-c++ op2-cache op2-check op2-graph op2-info op2-precompile op2-trace
