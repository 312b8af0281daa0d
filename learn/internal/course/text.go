package course

import "fmt"

// text is a text in each language. Both have the same verbs in the same order.
type text struct{ en, zh string }

func (t text) in(language string) string {
	if language == "zh" {
		return t.zh
	}
	return t.en
}

// failure is an error for the user of the command.
type failure struct {
	text text
	args []any
	code int
}

func (f *failure) Error() string { return fmt.Sprintf(f.text.en, f.args...) }

// Exit codes of the command.
const (
	exitFailed = 1 // a check fails, or something cannot be done
	exitUsage  = 2 // the arguments are wrong
)

func fail(t text, args ...any) error { return &failure{t, args, exitFailed} }

func misuse(t text, args ...any) error { return &failure{t, args, exitUsage} }

// Messages about arguments and the workspace.
var (
	noSuchCommand      = text{"there is no command %q\n\n", "没有 %q 这个命令\n\n"}
	noSuchStep         = text{"there is no step %q; go run ./learn lists the steps", "没有 %q 这个步骤；go run ./learn 列出所有步骤"}
	needsStep          = text{"%s needs one step, as in: go run ./learn %s 1", "%s 需要一个步骤，例如：go run ./learn %s 1"}
	seedIsNumber       = text{"the seed is %q, want a number greater than 0", "种子是 %q，必须是大于 0 的整数"}
	seedIsOfSimulation = text{
		"-seed is for the test of step 12 only: go run ./learn test 12 -seed %s",
		"-seed 只用于第 12 步的评测：go run ./learn test 12 -seed %s"}
	wrongFlag   = text{"%v\n\n", "%v\n\n"}
	notInModule = text{
		"%s is not in a clone of the repository: run the command in the folder that has its go.mod",
		"%s 不在克隆下来的仓库里：请在仓库的根目录（go.mod 所在的目录）运行"}
	otherModule = text{
		"%s belongs to the module %s: run the command in a clone of %s",
		"%s 属于模块 %s：请在克隆下来的 %s 里运行"}
	interrupted = text{"interrupted", "已中断"}
	badProgress = text{
		"%s cannot be read, so the progress is lost: %v\n",
		"无法读取 %s，进度丢失：%v\n"}
	notStarted = text{
		"step %d is not started: %s does not exist. Type: go run ./learn start %[1]d",
		"第 %d 步还没有开始：%s 不存在。请输入：go run ./learn start %[1]d"}
	notAFolder = text{"%s is not a folder: rename it", "%s 不是目录：请给它改名"}
	noGoFiles  = text{
		"%s has no Go files: rename the folder and type go run ./learn start %d",
		"%s 里没有 Go 文件：请给这个目录改名，再输入 go run ./learn start %d"}
	mapHasNoTask = text{
		"step 0 has nothing to write. Read %s, then type: go run ./learn start 1",
		"第 0 步不需要写代码。请读 %s，然后输入：go run ./learn start 1"}
	usage = text{`usage: go run ./learn [-zh] [command]

  (no command)     the steps, and where you are
  start STEP       create learn/_work/NN-name with code that compiles and fails
  test STEP        judge your code
  hint STEP        the next hint; -all shows all of them
  diff STEP        what differs between your code and the reference
  show STEP        the run that the chapter shows

STEP is a number or a name, such as 4 or listwatch.

  -zh              texts and chapters in Chinese; also LEARN_LANG=zh, or LANG=zh_CN.UTF-8.
                   LEARN_LANG=en selects English
  test -mine       use your parts of the other steps too
  test 12 -seed N  repeat a simulation
`, `用法：go run ./learn [-zh] [命令]

  （不带命令）     列出所有步骤，以及当前的进度
  start STEP       创建 learn/_work/NN-name，里面的代码能编译，但通不过检查
  test STEP        评测你的代码
  hint STEP        下一条提示；-all 显示全部提示
  diff STEP        比较你的代码与参考实现
  show STEP        章节里的运行示例

STEP 是数字或名字，例如 4 或 listwatch。

  -zh              使用中文的消息和章节；也可以设 LEARN_LANG=zh 或 LANG=zh_CN.UTF-8。
                   LEARN_LANG=en 选择英文
  test -mine       其他步骤也使用你写的组件
  test 12 -seed N  用种子 N 重现一次模拟
`}
)

// Messages of the list.
var (
	listHead = text{
		"In each step you write one part of an informer. A tester judges it and names the\nmistake. No cluster is necessary.\n\n",
		"每一步写出 informer 的一个组件，评测程序会指出其中的错误。不需要集群。\n\n"}
	columnStep    = text{"step", "步骤"}
	columnBuilds  = text{"you build", "要写的组件"}
	columnMinutes = text{"minutes", "分钟"}
	columnState   = text{"state", "状态"}
	shortPath     = text{
		"\n* the short path, for a long evening. You can start at any step: the parts that you have\nnot written are those of the reference.\n",
		"\n* 短路线，要花一个长晚上。可以从任何一步开始：没有写的组件由参考实现代替。\n"}
	stateStarted = text{"started", "已开始"}
	stateFailed  = text{"%d of %d checks pass", "通过 %d / %d 项检查"}
	statePassed  = text{"passed", "通过"}
	nextFirst    = text{
		"\nNew here? Read %s (it takes 20 minutes), or begin at once:\n\n    go run ./learn start 1\n",
		"\n第一次来？先读 %s（约 20 分钟），或者马上开始：\n\n    go run ./learn start 1\n"}
	nextTest = text{
		"\nNext: edit the files in %s, then type: go run ./learn test %d\nThe chapter is %s.\n",
		"\n下一步：编辑 %s 里的文件，然后输入：go run ./learn test %d\n章节：%s\n"}
	nextStart = text{"\nNext: go run ./learn start %d\n", "\n下一步：go run ./learn start %d\n"}
	allPassed = text{"\nYou have passed every step.\n", "\n你已经通过了所有步骤。\n"}
)

// Messages of start, hint and diff.
var (
	started = text{
		"Created: %s. The code compiles and fails.\n\nRead %s, edit the code, then type:\n\n    go run ./learn test %d\n",
		"已创建：%s。能编译，但通不过检查。\n\n请读 %s，写出代码，然后输入：\n\n    go run ./learn test %d\n"}
	exists = text{
		"%s exists, and nothing was changed.\n",
		"%s 已经存在，没有做任何改动。\n"}
	existsUnchanged = text{
		"It is the skeleton without changes: edit it, then type go run ./learn test %d\n",
		"里面是没有改动过的骨架：编辑它，然后输入 go run ./learn test %d\n"}
	existsChanged = text{
		"Files that differ from the skeleton: %s\nTo start again, rename the folder first: mv %s %s\n",
		"与骨架不同的文件：%s\n要重新开始，请先给目录改名：mv %s %s\n"}
	hintHead = text{"Hint %d of %d\n\n", "提示 %d / %d\n\n"}
	hintMore = text{"\nThe next hint: go run ./learn hint %d\n", "\n下一条提示：go run ./learn hint %d\n"}
	hintLast = text{
		"\nThis was the last hint. go run ./learn diff %d compares your code with the reference.\n",
		"\n这是最后一条提示。go run ./learn diff %d 比较你的代码与参考实现。\n"}
	hintNone = text{
		"All %d hints have been shown: go run ./learn hint %d -all shows them again.\n",
		"%d 条提示都已显示：go run ./learn hint %d -all 可以再看一遍。\n"}
	noChapter = text{"the chapter cannot be read: %v", "无法读取章节：%v"}
	diffSame  = text{"Your code is that of the reference.\n", "你的代码与参考实现相同。\n"}
)

// Messages of test.
var (
	testHead      = text{"Step %d, %s: %d checks\n", "第 %d 步，%s：%d 项检查\n"}
	compiling     = text{"compiling: the first time takes about a minute\n", "正在编译：第一次大约需要一分钟\n"}
	partsOf       = text{"your parts: steps %s; all others are those of the reference\n", "你写的组件：第 %s 步；其余由参考实现代替\n"}
	partNotPassed = text{
		"not used, because it has not passed: step %d (-mine uses it too)\n",
		"没有使用，因为还没有通过：第 %d 步（加上 -mine 也会使用）\n"}
	partsNotPassed = text{
		"not used, because they have not passed: steps %s (-mine uses them too)\n",
		"没有使用，因为还没有通过：第 %s 步（加上 -mine 也会使用）\n"}
	printed     = text{"      your code printed:\n", "      你的代码输出：\n"}
	printedMore = text{"      | ... (lines left out: %d)\n", "      | ……（省略 %d 行）\n"}
	failedCount = text{
		"\n%d of %d checks pass. A hint: go run ./learn hint %d\n",
		"\n通过 %d / %d 项检查。需要提示：go run ./learn hint %d\n"}
	shownFirst = text{
		"The reasons of the first %d failures are shown: correct these first.\n",
		"只显示前 %d 个失败的原因：请先改正它们。\n"}
	passedAll = text{
		"\nAll %d checks pass.\nThe reference beside your code: go run ./learn diff %d\n",
		"\n%d 项检查全部通过。\n与参考实现比较：go run ./learn diff %d\n"}
	passedMine = text{
		"With -mine the result of the step is not stored. Your part alone: go run ./learn test %d\n",
		"加上 -mine 时不保存这一步的结果。单独评测你的组件：go run ./learn test %d\n"}
	passedNext  = text{"The next step: go run ./learn start %d\n", "下一步：go run ./learn start %d\n"}
	passedShort = text{"On the short path: go run ./learn start %d\n", "短路线的下一步：go run ./learn start %d\n"}
	overLimit   = text{
		"\nThe time limit of %v is exceeded: %d of %d checks are judged.\n",
		"\n超过了 %v 的时限：只完成了 %d / %d 项检查。\n"}
	endlessStart = text{
		"no check begins within %v: an init function or the value of a package variable does not end",
		"%v 内没有任何检查开始：有一个 init 函数或者包级变量的初始化没有结束"}
	notBegun    = text{"the program ends before the first check: %v", "程序在第一项检查之前就结束了：%v"}
	notCompiled = text{"the code does not compile:\n%s", "代码不能编译：\n%s"}
	mustExport  = text{
		"package %s must export this function:\n\n\t%s\n\nThe compiler says: %s",
		"包 %s 必须导出这个函数：\n\n\t%s\n\n编译器报告：%s"}
	wrongPackage = text{"%s: the package is called %s, want package %s", "%s：包名是 %s，应为 package %s"}
	wrongImport  = text{
		"%s:%d imports %s.\nA solution may import the standard library, %s, and of this module %s.",
		"%s:%d 导入了 %s。\n答案只能导入标准库、%s，以及本模块的 %s。"}
)

// builds says what a step builds, and how long it takes.
var builds = map[string]struct {
	text
	minutes int
}{
	"map":        {text{"nothing: run two programs, and follow one change", "不写代码：运行两个程序，跟踪一次变更"}, 20},
	"chunks":     {text{"an HTTP response by hand: socket, chunks", "手工读取 HTTP 响应：socket、chunk"}, 60},
	"client":     {text{"RESTClient and Request", "RESTClient 与 Request"}, 60},
	"frames":     {text{"a stream of frames as typed events", "把帧组成的流变成带类型的事件"}, 45},
	"listwatch":  {text{"ListerWatcher: list, then watch", "ListerWatcher：先 list，再 watch"}, 60},
	"resume":     {text{"going on after a break, and back-off", "中断之后继续 watch，带退避"}, 60},
	"reflector":  {text{"Reflector: 410, bookmarks, streamed lists", "Reflector：410、bookmark、流式列表"}, 75},
	"deltafifo":  {text{"DeltaFIFO", "DeltaFIFO"}, 75},
	"indexer":    {text{"Indexer: the local cache", "Indexer：本地缓存"}, 60},
	"informer":   {text{"the shared informer: loop and handlers", "SharedInformer：循环与 handler"}, 75},
	"workqueue":  {text{"WorkQueue with rate limits", "带限速的 WorkQueue"}, 60},
	"reconcile":  {text{"Reconcile", "Reconcile"}, 60},
	"simulation": {text{"a checker for a simulation with all your parts", "检查器：在模拟中检验你写的所有组件"}, 60},
}
