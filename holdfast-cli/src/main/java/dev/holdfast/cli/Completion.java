package dev.holdfast.cli;

import picocli.AutoComplete;
import picocli.CommandLine;

/** What a shell offers when the Tab key is pressed. */
final class Completion {
    /** Behind the two dashes stands somebody else's command, with its own completion where the shell knows it. */
    private static final String AFTER_DASHES = """

            function _complete_holdfast_or_command() {
              local word
              for (( word=1; word<COMP_CWORD; word++ )); do
                if [ "${COMP_WORDS[word]}" = "--" ]; then
                  if type _command_offset > /dev/null 2>&1; then
                    _command_offset $((word + 1))
                  elif [ $COMP_CWORD -eq $((word + 1)) ] && [ "${COMP_WORDS[COMP_CWORD]}" = "${COMP_WORDS[COMP_CWORD]#*/}" ]; then
                    COMPREPLY=($(compgen -c -- "${COMP_WORDS[COMP_CWORD]}"))
                  else
                    compopt -o filenames 2> /dev/null
                    local IFS=$'\\n'
                    COMPREPLY=($(compgen -f -- "${COMP_WORDS[COMP_CWORD]}"))
                  fi
                  return
                fi
              done
              _complete_holdfast
            }
            complete -F _complete_holdfast_or_command -o default holdfast holdfast.sh holdfast.bash
            """;

    private Completion() {}

    static String script(CommandLine commands) {
        return AutoComplete.bash("holdfast", commands) + AFTER_DASHES;
    }
}
