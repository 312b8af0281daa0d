// Package server has the cases of a controller's test: apitest over HTTP, and the fake
// clients that replace a client. A fake does less: it decodes nothing, and stores
// objects as they are given. The cases show the cost of this difference.
package server

import (
	"fmt"

	"github.com/thinformer/thinformer/bench/harness"
	"github.com/thinformer/thinformer/bench/process"
)

const (
	listed = 1_000
	seeded = 10_000
)

// Cases returns the cases of this package, each with both fake clients.
func Cases() (cases []harness.Case) {
	for _, rival := range []struct {
		name, about string
		open        func(objects int) cluster
	}{
		{"clientset", "client-go's fake clientset", openClientset},
		{"crclient", "controller-runtime's fake client", openCRClient},
	} {
		add := func(what, unit, about string, n int, side func(func(int) cluster) harness.Side) {
			cases = append(cases, harness.Case{
				Name: "apitest/" + what + "-" + rival.name, Unit: unit, N: n,
				About:  about + ". Ours over HTTP on a pipe; the other side is " + rival.about,
				Ours:   func() harness.Side { return side(openOurs) },
				Theirs: func() harness.Side { return side(rival.open) },
			})
		}
		add("create", "us/op", "create of a config map, beginning with none", 0, create)
		add("get", "us/op", "get of one of 1,000 config maps", 0, get)
		add("list-1k", "us/op", "list of 1,000 config maps", 0, list)
		add("event", "us/op", "create of a config map, until a watch of all has received the event", 0, event)
		add("seed-10k", "ms/op", "creation of a server or client with 10,000 config maps; ours without HTTP", 1, seed)
		add("memory", "B/object", "live heap for each of 10,000 config maps of 300 bytes", 1, memory)
	}
	return cases
}

func create(open func(int) cluster) harness.Side {
	return func(m *harness.Meter) {
		c := open(0)
		defer c.close()
		m.Start()
		for i := range m.N {
			c.create(configMap(i))
		}
		m.Stop()
	}
}

func get(open func(int) cluster) harness.Side {
	return func(m *harness.Meter) {
		c := open(listed)
		defer c.close()
		m.Start()
		for i := range m.N {
			if got := c.get(configMap(i % listed)); got.Data["key"] == "" {
				panic("the config map has no data")
			}
		}
		m.Stop()
	}
}

func list(open func(int) cluster) harness.Side {
	return func(m *harness.Meter) {
		c := open(listed)
		defer c.close()
		m.Start()
		for range m.N {
			want(c.list(), listed)
		}
		m.Stop()
	}
}

func event(open func(int) cluster) harness.Side {
	return func(m *harness.Meter) {
		c := open(0)
		defer c.close()
		next := c.watch()
		m.Start()
		for i := range m.N {
			obj := configMap(i)
			c.create(obj)
			if name := next(); name != obj.Name {
				panic("received an event of " + name + ", want " + obj.Name)
			}
		}
		m.Stop()
	}
}

func seed(open func(int) cluster) harness.Side {
	return func(m *harness.Meter) {
		m.Start()
		c := open(seeded)
		m.Stop()
		defer c.close()
		want(c.list(), seeded)
	}
}

func memory(open func(int) cluster) harness.Side {
	return func(m *harness.Meter) {
		before := process.Live()
		c := open(seeded)
		after := process.Live()
		want(c.list(), seeded)
		c.close()
		m.Report("", (float64(after)-float64(before))/seeded)
	}
}

func want(got, want int) {
	if got != want {
		panic(fmt.Sprintf("a list has %d objects, want %d", got, want))
	}
}
