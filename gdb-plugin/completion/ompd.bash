# bash completion for ompd. Written by tools/gen-completion from the argument parser: do not edit.

_ompd()
{
	local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD - 1]} command=${COMP_WORDS[1]} kind= i
	COMPREPLY=()
	if ((COMP_CWORD == 1)); then
		mapfile -t COMPREPLY < <(compgen -W 'core pid run merge job top record show --help --version' -- "$cur")
		return
	fi
	# --output=FILE comes as three words.
	if [[ $cur == = ]]; then
		cur=
	elif [[ $prev == = ]]; then
		prev=${COMP_WORDS[COMP_CWORD - 2]}
	fi
	case $command,$prev in
	core,-o | core,--output) kind=file ;;
	core,--html) kind=file ;;
	core,--gdb) kind=command ;;
	core,--timeout) kind=nothing ;;
	core,--sysroot) kind=directory ;;
	core,--lib-search-root) kind=directory ;;
	pid,-o | pid,--output) kind=file ;;
	pid,--html) kind=file ;;
	pid,--gdb) kind=command ;;
	pid,--timeout) kind=nothing ;;
	run,-o | run,--output) kind=file ;;
	run,--html) kind=file ;;
	run,--gdb) kind=command ;;
	run,--timeout) kind=nothing ;;
	merge,-o | merge,--output) kind=file ;;
	merge,--html) kind=file ;;
	job,-o | job,--output) kind=file ;;
	job,--html) kind=file ;;
	job,--mpirun) kind=process ;;
	job,--pid) kind=process ;;
	job,--hosts) kind=nothing ;;
	job,--cores) kind=directory ;;
	job,--watch) kind=nothing ;;
	job,--gdb) kind=command ;;
	job,--timeout) kind=nothing ;;
	job,--node-timeout) kind=nothing ;;
	job,--at-once) kind=nothing ;;
	job,--fan-out) kind=nothing ;;
	top,-d | top,--duration) kind=nothing ;;
	top,-F | top,--rate) kind=nothing ;;
	top,-i | top,--interval) kind=nothing ;;
	top,-v | top,--view) kind='words,regions threads waits stacks' ;;
	record,-d | record,--duration) kind=nothing ;;
	record,-F | record,--rate) kind=nothing ;;
	record,-o | record,--output) kind=file ;;
	show,-o | show,--output) kind=file ;;
	show,--html) kind=file ;;
	show,--speedscope) kind=file ;;
	show,--chrome-trace) kind=file ;;
	show,--folded) kind=file ;;
	show,--paraver) kind=file ;;
	show,--pprof) kind=file ;;
	esac
	# Behind `--' stands a program, with arguments of its own.
	case $command in
	run | top | record)
		for ((i = 2; i < COMP_CWORD; i++)); do
			if [[ ${COMP_WORDS[i]} == -- ]]; then
				((i + 1 == COMP_CWORD)) && kind=command || kind=file
				break
			fi
		done
		;;
	esac
	if [[ -z $kind && $cur == -* ]]; then
		case $command in
		core) mapfile -t COMPREPLY < <(compgen -W '-h --help --text --json --all -o --output --html --locals --gdb --timeout --sysroot --lib-search-root' -- "$cur") ;;
		pid) mapfile -t COMPREPLY < <(compgen -W '-h --help --text --json --all -o --output --html --locals --gdb --timeout' -- "$cur") ;;
		run) mapfile -t COMPREPLY < <(compgen -W '-h --help --text --json --all -o --output --html --locals --gdb --timeout' -- "$cur") ;;
		merge) mapfile -t COMPREPLY < <(compgen -W '-h --help --text --json --all -o --output --html' -- "$cur") ;;
		job) mapfile -t COMPREPLY < <(compgen -W '-h --help --text --json --all -o --output --html --mpirun --pid --hosts --cores --watch --gdb --timeout --node-timeout --at-once --ship --fan-out' -- "$cur") ;;
		top) mapfile -t COMPREPLY < <(compgen -W '-h --help -d --duration -F --rate --json --once -i --interval -v --view' -- "$cur") ;;
		record) mapfile -t COMPREPLY < <(compgen -W '-h --help -d --duration -F --rate -o --output' -- "$cur") ;;
		show) mapfile -t COMPREPLY < <(compgen -W '-h --help --text --json --all -o --output --html --speedscope --chrome-trace --folded --paraver --pprof' -- "$cur") ;;
		esac
		return
	fi
	if [[ -z $kind ]]; then
		case $command in
		core | merge | show) kind=file ;;
		pid | top | record) kind=process ;;
		esac
	fi
	case $kind in
	file) compopt -o filenames; mapfile -t COMPREPLY < <(compgen -f -- "$cur") ;;
	directory) compopt -o filenames; mapfile -t COMPREPLY < <(compgen -d -- "$cur") ;;
	command) compopt -o filenames; mapfile -t COMPREPLY < <(compgen -c -f -- "$cur" | sort -u) ;;
	process) mapfile -t COMPREPLY < <(compgen -W "$(ps -u "$UID" -o pid=)" -- "$cur") ;;
	words,*) mapfile -t COMPREPLY < <(compgen -W "${kind#words,}" -- "$cur") ;;
	esac
}
complete -F _ompd ompd
