import { loadCodecs, runCodecTask } from "../tables/codec_tasks.js";
import { serveTasks } from "../threads/task_server.js";

void serveTasks(loadCodecs, runCodecTask);
