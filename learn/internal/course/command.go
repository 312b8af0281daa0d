package course

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"

	"github.com/thinformer/thinformer/learn/internal/catalog"
)

// Command is one call of the command.
type Command struct {
	Out, Err io.Writer
	// Getenv is os.Getenv.
	Getenv func(string) string
	// Folder is the working directory.
	Folder string

	language  string
	workspace *workspace
	all, mine bool   // -all, -mine
	seed      string // -seed
}

// exitInterrupted is the exit code of a shell after Ctrl-C.
const exitInterrupted = 130

// Run runs the command and returns the exit code.
func (c *Command) Run(ctx context.Context, arguments []string) int {
	c.language = languageOf(c.Getenv)
	err := c.run(ctx, arguments)
	var known *failure
	switch {
	case err == nil:
		return 0
	case ctx.Err() != nil:
		c.warn(interrupted)
		fmt.Fprintln(c.Err)
		return exitInterrupted
	case errors.Is(err, errFailedChecks):
		return exitFailed
	case errors.As(err, &known):
		c.warn(known.text, known.args...)
		fmt.Fprintln(c.Err)
		return known.code
	}
	fmt.Fprintln(c.Err, err)
	return exitFailed
}

func (c *Command) run(ctx context.Context, arguments []string) error {
	words, err := c.parse(arguments)
	if errors.Is(err, flag.ErrHelp) || len(words) == 1 && words[0] == "help" {
		c.say(usage)
		return nil
	}
	var described *failure
	switch {
	case errors.As(err, &described):
		return err
	case err != nil:
		return misuse(join(wrongFlag, usage), err)
	}
	if c.workspace == nil {
		root, err := moduleRoot(c.Folder)
		if err != nil {
			return err
		}
		if c.workspace, err = newWorkspace(root); err != nil {
			return err
		}
	}
	if len(words) == 0 {
		return c.list()
	}
	run, known := map[string]func(context.Context, catalog.Step) error{
		"start": c.start, "test": c.test, "hint": c.hint, "diff": c.diff, "show": c.show,
	}[words[0]]
	if !known {
		return misuse(join(noSuchCommand, usage), words[0])
	}
	if len(words) != 2 {
		return misuse(needsStep, words[0], words[0])
	}
	step, ok := c.workspace.find(words[1])
	if !ok {
		return misuse(noSuchStep, words[1])
	}
	if step.Number == 0 {
		return fail(mapHasNoTask, c.chapter(step))
	}
	if c.seed != "" && (words[0] != "test" || step.Name != "simulation") {
		return misuse(seedIsOfSimulation, c.seed)
	}
	return run(ctx, step)
}

// parse returns the arguments that are not flags, which may be before and after them.
func (c *Command) parse(arguments []string) (words []string, err error) {
	flags := flag.NewFlagSet("learn", flag.ContinueOnError)
	flags.SetOutput(io.Discard)
	chinese := flags.Bool("zh", false, "")
	flags.BoolVar(&c.all, "all", false, "")
	flags.BoolVar(&c.mine, "mine", false, "")
	flags.StringVar(&c.seed, "seed", "", "")
	for len(arguments) > 0 && err == nil {
		if err = flags.Parse(arguments); err == nil && flags.NArg() > 0 {
			words = append(words, flags.Arg(0))
			arguments = flags.Args()[1:]
		} else {
			break
		}
	}
	if *chinese {
		c.language = "zh"
	}
	if c.seed != "" && err == nil {
		if seed, parseErr := strconv.ParseUint(c.seed, 10, 64); parseErr != nil || seed == 0 {
			err = misuse(seedIsNumber, c.seed)
		}
	}
	return words, err
}

// languageOf returns the language that the environment selects.
func languageOf(getenv func(string) string) string {
	for _, name := range []string{"LEARN_LANG", "LC_ALL", "LC_MESSAGES", "LANG"} {
		if value := getenv(name); value != "" {
			if strings.HasPrefix(value, "zh") {
				return "zh"
			}
			return "en"
		}
	}
	return "en"
}

func (c *Command) say(t text, args ...any) { fmt.Fprintf(c.Out, t.in(c.language), args...) }

func (c *Command) warn(t text, args ...any) { fmt.Fprintf(c.Err, t.in(c.language), args...) }

// join returns a text that is followed by another one.
func join(first, second text) text { return text{first.en + second.en, first.zh + second.zh} }

// Here returns a command in the working directory.
func Here() *Command {
	folder, err := os.Getwd()
	if err != nil {
		folder = "."
	}
	return &Command{Out: os.Stdout, Err: os.Stderr, Getenv: os.Getenv, Folder: folder}
}
