package stack

// sides are who informs.
var sides = map[string]opener{"ours": openOurs, "theirs": openTheirs, "layer": openLayer}
