// Package server holds the cases of what a controller's test talks to: apitest,
// over HTTP and with nothing taken away, and the fake clients that take the
// client's place. They do not do the same: a fake decodes nothing, and stores
// what it is given. The cases say what the difference costs.
package server

import (
	"runtime"

	"github.com/thinformer/thinformer/bench/harness"
)

const (
	listed = 1_000
	seeded = 10_000
)

// Cases returns the cases of this package, each against both alternatives.
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
		add("create", "us/op", "create of a config map, beside none", 0, create)
		add("get", "us/op", "get of a config map, of 1,000", 0, get)
		add("list-1k", "us/op", "list of 1,000 config maps", 0, list)
		add("event", "us/op", "create of a config map, until a watcher of all has its event", 0, event)
		add("seed-10k", "ms/op", "a server or client with 10,000 config maps, without HTTP for ours", 1, seed)
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
				panic("it came without its data")
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
				panic("the event of " + name + " came for " + obj.Name)
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
		before := liveHeap()
		c := open(seeded)
		after := liveHeap()
		want(c.list(), seeded)
		c.close()
		m.Report("", (float64(after)-float64(before))/seeded)
	}
}

// liveHeap collects twice, for what a first collection finalizes.
func liveHeap() uint64 {
	runtime.GC()
	runtime.GC()
	var stats runtime.MemStats
	runtime.ReadMemStats(&stats)
	return stats.HeapAlloc
}

func want(got, want int) {
	if got != want {
		panic("a list is not whole")
	}
}
