package stack

// sides has the informers by library.
var sides = map[string]opener{"ours": openOurs, "theirs": openTheirs, "layer": openLayer}
