package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/thinformer/thinformer/apitest"
	"github.com/thinformer/thinformer/rest"
)

// A control is an action that the page offers.
type control struct {
	name       string
	needs      need
	parameters []Parameter
	// run acts and returns what it has done.
	run func(context.Context, arguments) (reply, error)
	// active reports whether the effect lasts; nil if it never does.
	active func() bool
}

// A need is what a control requires.
type need int

const (
	needsNothing need = iota
	needsWrite
	needsEmbedded
)

// controls are the actions of the page.
type controls struct {
	records  *recorder
	pipeline *pipeline
	// objects writes, nil if the program only reads. embedded is nil for a real server.
	objects  *rest.Resource[*ConfigMap]
	embedded *apitest.Server
	all      []control

	// busy is held by a burst.
	busy sync.Mutex
	// released is true at the end of the program.
	released atomic.Bool

	mu sync.Mutex
	// end ends the outage, nil if there is none.
	end    func()
	silent []*socket
	// number is the last one of an update.
	number int
}

func newControls(records *recorder, p *pipeline, objects *rest.Resource[*ConfigMap], embedded *apitest.Server) *controls {
	c := &controls{records: records, pipeline: p, objects: objects, embedded: embedded}
	c.all = slices.Concat(c.objectControls(), c.connectionControls(), c.serverControls(), c.handlerControls(), c.workerControls())
	return c
}

// unavailable returns the code of the reason why a control cannot be used, "" if it can.
func (c *controls) unavailable(needs need) string {
	switch {
	case needs == needsWrite && c.objects == nil:
		return "readOnly"
	case needs == needsEmbedded && c.embedded == nil:
		return "cluster"
	}
	return ""
}

// states returns the controls for the page.
func (c *controls) states() (all []ControlState) {
	for _, control := range c.all {
		code := c.unavailable(control.needs)
		state := ControlState{Name: control.name, Available: code == "", Reason: say(code).String(), ReasonCode: code, Parameters: control.parameters}
		if state.Parameters == nil {
			state.Parameters = []Parameter{}
		}
		state.Active = control.active != nil && control.active()
		all = append(all, state)
	}
	return all
}

var (
	errNoControl   = errors.New("no control")
	errUnavailable = errors.New("not available")
	errParameter   = errors.New("invalid parameter")
)

// controlTimeout bounds a control, for example while the server is away.
const controlTimeout = 30 * time.Second

// use runs a control with parameters in JSON.
func (c *controls) use(ctx context.Context, name string, body []byte) (reply, error) {
	i := slices.IndexFunc(c.all, func(c control) bool { return c.name == name })
	if i < 0 {
		return reply{}, fail(errNoControl, "noControl")
	}
	control := c.all[i]
	if code := c.unavailable(control.needs); code != "" {
		return reply{}, fail(errUnavailable, code)
	}
	args, err := parseArguments(body, control.parameters)
	if err != nil {
		return reply{}, err
	}
	ctx, cancel := context.WithTimeout(ctx, controlTimeout)
	defer cancel()
	said, err := control.run(ctx, args)
	if c.released.Load() { // while this control was in use
		c.release()
	}
	used := Record{Stage: StageControl, Kind: "used", Name: name, Text: said.String(), Error: textOf(err)}
	if err != nil {
		said, used.Text = replyOf(err), used.Error
	}
	used.Code, used.Values = said.code, said.values
	c.records.add(used)
	return said, err
}

// arguments are the values of parameters.
type arguments struct {
	texts   map[string]string
	numbers map[string]int
}

// maxArgument is the longest name of an object.
const maxArgument = 253

// parseArguments parses a JSON object. Missing values are the defaults.
func parseArguments(body []byte, parameters []Parameter) (arguments, error) {
	args := arguments{texts: map[string]string{}, numbers: map[string]int{}}
	given := map[string]json.RawMessage{}
	if len(body) > 0 {
		if err := json.Unmarshal(body, &given); err != nil || given == nil {
			return args, fail(errParameter, "notJSON")
		}
	}
	for _, p := range parameters {
		if err := args.parse(given[p.Name], p); err != nil {
			return args, err
		}
		delete(given, p.Name)
	}
	for name := range given {
		return args, fail(errParameter, "noParameter", "name", fmt.Sprintf("%.50s", name))
	}
	return args, nil
}

func (a *arguments) parse(value json.RawMessage, p Parameter) error {
	if p.Max == 0 {
		text, _ := p.Default.(string)
		if value != nil && (json.Unmarshal(value, &text) != nil || len(text) > maxArgument) {
			return fail(errParameter, "notText", "name", p.Name, "max", maxArgument)
		}
		a.texts[p.Name] = strings.TrimSpace(text)
		return nil
	}
	number, _ := p.Default.(int)
	if value != nil && json.Unmarshal(value, &number) != nil || number < p.Min || number > p.Max {
		return fail(errParameter, "notNumber", "name", p.Name, "min", p.Min, "max", p.Max)
	}
	a.numbers[p.Name] = number
	return nil
}
